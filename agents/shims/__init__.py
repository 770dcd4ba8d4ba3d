"""Headers that give a port what HIP lacks; they come with the port and depend on nothing but HIP."""
