"""What programs attach to their NVTX events: values by the name of their field, from any form of export."""
