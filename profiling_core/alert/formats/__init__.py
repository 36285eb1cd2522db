"""A message in the form of each service. Values are text in all of them: none is read as markup."""
