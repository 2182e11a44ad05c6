"""The scene: drones, walls, objects, hands, authority and events on top of the engine.  ROS-free: the node and the replay
tool drive the same CollisionScene.  No ROS, no wall clock, no threads here."""
