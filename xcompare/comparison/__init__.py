"""What was found: comparing and sweeping, the table, its ranks and votes, the partition, and exports."""
