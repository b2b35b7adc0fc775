/* How long calls take in a world of 10,000 boxes; examples/time.rs measures the same calls of Rust. */
#include "cullide.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BOXES = 10000, RAYS = 1000, RUNS = 25 };

#define TRY(call) \
    do { \
        if ((call) != CULLIDE_STATUS_OK) { \
            fprintf(stderr, "%s: %s\n", #call, cullide_last_error()); \
            exit(1); \
        } \
    } while (0)

static uint32_t state = 1;

/* From -reach to reach, in eighths. */
static float number(uint32_t reach)
{
    state = state * 1664525u + 1013904223u;
    return (float)((state >> 8) % (16 * reach + 1)) / 8.0f - (float)reach;
}

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The best of several runs. */
#define TIME(name, calls, ...) \
    do { \
        double best = 1e9; \
        size_t found = 0; \
        for (int run = 0; run < RUNS; run++) { \
            double start = seconds(), end; \
            found = 0; \
            __VA_ARGS__ \
            end = seconds(); \
            if (end - start < best) \
                best = end - start; \
        } \
        printf("%-28s %8.0f ns, %zu found\n", name, 1e9 * best / (calls), found); \
    } while (0)

static CullideObject objects[BOXES];
static CullideKey keys[BOXES];
static CullideRay rays[RAYS];
static CullideRayHit hits[RAYS];

int main(void)
{
    CullideWorld *world;
    CullideShape *box, *ball;
    TRY(cullide_check());
    TRY(cullide_world_new(1, &world));
    TRY(cullide_shape_box(cullide_vec3(0.5f, 1.0f, 0.75f), &box));
    TRY(cullide_shape_ball(2.0f, &ball));
    for (int i = 0; i < BOXES; i++) {
        float x = number(64), y = number(8), z = number(64);
        objects[i] = cullide_object(box);
        objects[i].pose = cullide_at(x, y, z);
    }
    double start = seconds();
    TRY(cullide_insert(world, objects, BOXES, keys));
    printf("%-28s %8.0f ns\n", "insert, a box", 1e9 * (seconds() - start) / BOXES);
    TRY(cullide_world_optimize(world));
    for (int i = 0; i < RAYS; i++) {
        float x = number(64), y = number(8), z = number(64), along = number(8), up = number(1), across = number(8);
        rays[i].origin = cullide_vec3(x, y, z);
        rays[i].direction = cullide_vec3(along + 0.0625f, up, across);
    }
    TIME("closest ray", RAYS, for (int i = 0; i < RAYS; i++) {
        TRY(cullide_cast_ray(world, rays[i], 64.0f, NULL, &hits[0]));
        found += hits[0].target != CULLIDE_NONE;
    });
    TIME("a ray that starts outside", RAYS, for (int i = 0; i < RAYS; i++) {
        CullideRay ray = {{1024.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}};
        TRY(cullide_cast_ray(world, ray, 64.0f, NULL, &hits[0]));
        found += hits[0].target != CULLIDE_NONE;
    });
    TIME("ball overlap", RAYS, for (int i = 0; i < RAYS; i++) {
        CullideVec3 at = rays[i].origin;
        size_t total;
        TRY(cullide_overlap(world, ball, cullide_at(at.x, at.y, at.z), NULL, keys, BOXES, &total));
        found += total;
    });
    TIME("1,000 rays as a batch", 1, TRY(cullide_cast_rays(world, rays, RAYS, 64.0f, NULL, hits));
        for (int i = 0; i < RAYS; i++)
            found += hits[i].target != CULLIDE_NONE;
    );
    cullide_shape_free(ball);
    cullide_shape_free(box);
    cullide_world_free(world);
    return 0;
}
