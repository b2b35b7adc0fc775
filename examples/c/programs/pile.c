/* Crates and balls fall on a floor, rays draw them from above, and somebody walks up the steps beside them. */
#include "cullide.h"
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 4, THINGS = 72, ALL = STEPS + THINGS, COLUMNS = 80, ROWS = 26 };

#define TRY(call) \
    do { \
        if ((call) != CULLIDE_STATUS_OK) { \
            fprintf(stderr, "%s: %s\n", #call, cullide_last_error()); \
            exit(1); \
        } \
    } while (0)

/* Everything that is computed here, for comparison with the same in Rust (FNV-1a). */
static uint64_t hash = 0xcbf29ce484222325u;

static void fold(const void *data, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
}

/* All numbers are sums of few powers of two, so that they are the same in any language. */
static const float DT = 1.0f / 64.0f;

int main(void)
{
    CullideWorld *world;
    CullideDynamics *dynamics;
    CullideShape *step, *box, *ball, *can, *walker;
    TRY(cullide_check());
    TRY(cullide_world_new(1, &world));
    TRY(cullide_dynamics_new(&dynamics));
    TRY(cullide_shape_box(cullide_vec3(1.0f, 0.125f, 2.0f), &step));
    TRY(cullide_shape_box(cullide_vec3(0.375f, 0.25f, 0.25f), &box));
    TRY(cullide_shape_ball(0.375f, &ball));
    TRY(cullide_shape_cylinder(0.25f, 0.25f, 0.25f, &can));
    TRY(cullide_shape_capsule(0.5f, 0.25f, &walker));

    CullideKey floor, keys[ALL];
    CullidePlane ground = {{0.0f, 1.0f, 0.0f}, 0.0f};
    TRY(cullide_insert_plane(world, ground, CULLIDE_HALF_SPACE, CULLIDE_ALL_LAYERS, &floor));
    CullideObject objects[ALL];
    for (int i = 0; i < STEPS; i++) {
        objects[i] = cullide_object(step);
        objects[i].pose = cullide_at(6.25f - 0.75f * (float)i, 0.125f + 0.25f * (float)i, 0.0f);
    }
    for (int i = 0; i < THINGS; i++) {
        CullideObject *object = &objects[STEPS + i];
        *object = cullide_object(i % 3 == 0 ? ball : i % 3 == 1 ? box : can);
        object->mobility = CULLIDE_MOVING;
        object->user = (uint64_t)i;
        object->pose = cullide_at(0.75f * (float)(i % 4) - 2.0f, 1.0f + 0.5f * (float)(i / 4), 0.5f * (float)(i * 7 % 5) - 1.0f);
    }
    TRY(cullide_insert(world, objects, ALL, keys));
    CullideRigidBody body = cullide_rigid_body();
    body.material.friction = 0.5f;
    for (int i = STEPS; i < ALL; i++)
        TRY(cullide_body_insert(dynamics, world, keys[i], &body));

    CullideDynamicsConfig config = cullide_dynamics_config();
    CullideStepReport report;
    for (int i = 0; i < 512; i++) {
        TRY(cullide_step(dynamics, world, DT, &config, &report));
        fold(&report.moved, sizeof report.moved);
    }
    printf("%d things fell, %d of them still move\n", (int)THINGS, (int)report.moved);

    /* A picture from above: how high is what a ray hits? */
    static CullideRay rays[ROWS * COLUMNS];
    static CullideRayHit hits[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        rays[i].origin = cullide_vec3(0.125f * (float)(i % COLUMNS) - 2.75f, 16.0f, 0.25f * (float)(i / COLUMNS) - 3.0f);
        rays[i].direction = cullide_vec3(0.0f, -1.0f, 0.0f);
    }
    TRY(cullide_cast_rays(world, rays, ROWS * COLUMNS, 32.0f, NULL, hits));
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        putchar(" .:-=+*#%@"[hits[i].point.y > 2.25f ? 9 : (int)(hits[i].point.y * 4.0f)]);
        if (i % COLUMNS == COLUMNS - 1)
            putchar('\n');
        fold(&hits[i].target, sizeof hits[i].target);
        fold(&hits[i].point, sizeof hits[i].point);
    }

    CullideCharacter *hero;
    CullideMover mover = cullide_mover();
    CullideWalk walk = {0};
    TRY(cullide_character_new(walker, cullide_at(8.0f, 1.0f, 0.5f), &hero));
    for (int i = 0; i < 192; i++) {
        int stands = walk.state.ground.target != CULLIDE_NONE;
        CullideVec3 velocity = stands ? cullide_vec3(-2.0f, 0.0f, 0.25f) : walk.state.velocity;
        velocity.y -= stands ? 0.0f : 0.125f;
        TRY(cullide_character_set_velocity(hero, velocity));
        TRY(cullide_character_walk(hero, world, dynamics, &mover, DT, NULL, &walk));
        TRY(cullide_step(dynamics, world, DT, &config, &report));
        fold(&walk.state.position, sizeof walk.state.position);
        fold(&walk.state.ground.target, sizeof walk.state.ground.target);
    }
    printf("the walker is at %.2f %.2f %.2f\n", walk.state.position.x, walk.state.position.y, walk.state.position.z);

    uint64_t state[2];
    TRY(cullide_world_hash(world, &state[0]));
    TRY(cullide_dynamics_hash(dynamics, world, &state[1]));
    fold(state, sizeof state);
    printf("hash %016llx\n", (unsigned long long)hash);

    cullide_character_free(hero);
    cullide_shape_free(walker);
    cullide_shape_free(can);
    cullide_shape_free(ball);
    cullide_shape_free(box);
    cullide_shape_free(step);
    cullide_dynamics_free(dynamics);
    cullide_world_free(world);
    return 0;
}
