/* image_geometry.h - what checks and kernels of image_geometry.c agree on. */
#ifndef IMAGE_GEOMETRY_H
#define IMAGE_GEOMETRY_H

/* The longest side of a picture. Positions are floats, which hold all whole numbers up to here. */
enum { IMAGE_SIDE = 1 << 24 };

#endif
