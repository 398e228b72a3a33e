"""What people use: the module for a class, among others."""
