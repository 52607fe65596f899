"""What NCCL says of its calls: communicators and sizes of messages, and which kernels carry them."""
