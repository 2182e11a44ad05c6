"""What is in a bag: topics and their clocks, drones and how near they came to each other.  One pass, streamed.

``topics`` and ``drones`` take messages in, ``proximity`` measures distances, ``run`` leads, ``report`` and ``picture``
show. Nothing here changes a bag.
"""
