"""What makes a network more than one linear map: relu and its kin, sigmoid, softmax."""
