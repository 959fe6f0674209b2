"""A box for commands: what they may read, write and reach, held by the kernel. `launch` and what it imports run inside."""
