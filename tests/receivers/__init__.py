"""What stands in for the services that alerts go to: real servers on the loopback interface, and senders to them."""
