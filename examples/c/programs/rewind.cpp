// A ball is shot into a wall of crates on hills; then time goes back, twice, and everything happens again to the bit.
#include "cullide.h"
#include <cstdio>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

// Handles that free themselves, and errors as exceptions: all that a wrapper needs.
template <auto Free> struct Freed {
    template <class T> void operator()(T *handle) const { Free(handle); }
};
template <class T, auto Free> using Handle = std::unique_ptr<T, Freed<Free>>;
using World = Handle<CullideWorld, cullide_world_free>;
using Dynamics = Handle<CullideDynamics, cullide_dynamics_free>;
using Shape = Handle<CullideShape, cullide_shape_free>;
using Snapshot = Handle<CullideSnapshot, cullide_snapshot_free>;

static void check(CullideStatus status)
{
    if (status != CULLIDE_STATUS_OK)
        throw std::runtime_error(cullide_last_error());
}

template <class H, class F, class... Args> H make(F create, Args... args)
{
    typename H::pointer handle = nullptr;
    check(create(args..., &handle));
    return H(handle);
}

// The pattern of every list: ask how many there are, make room, ask again.
template <class T, class F, class... Args> std::vector<T> list(F ask, Args... args)
{
    std::size_t total = 0;
    check(ask(args..., nullptr, 0, &total));
    std::vector<T> values(total);
    check(ask(args..., values.data(), values.size(), &total));
    return values;
}

static std::uint64_t hash = 0xcbf29ce484222325u;

template <class T> void fold(const T &value)
{
    for (std::size_t i = 0; i < sizeof(T); i++)
        hash = (hash ^ reinterpret_cast<const unsigned char *>(&value)[i]) * 0x100000001b3u;
}

static std::uint64_t run(const World &world, const Dynamics &dynamics, int steps)
{
    CullideDynamicsConfig config = cullide_dynamics_config();
    for (int i = 0; i < steps; i++)
        check(cullide_step(dynamics.get(), world.get(), 1.0f / 64.0f, &config, nullptr));
    std::uint64_t after;
    check(cullide_dynamics_hash(dynamics.get(), world.get(), &after));
    return after;
}

int main()
try {
    check(cullide_check());
    World world = make<World>(cullide_world_new, 2u);
    Dynamics dynamics = make<Dynamics>(cullide_dynamics_new);

    std::vector<float> heights(33 * 33);
    for (int i = 0; i < 33 * 33; i++)
        heights[i] = static_cast<float>(i % 33 * (i / 33) % 7) / 8.0f;
    Shape hills = make<Shape>(cullide_shape_terrain, 33u, 33u, heights.data(), -16.0f, -16.0f, 1.0f, 1.0f,
                              static_cast<std::uint32_t>(CULLIDE_FRONT_SIDE));
    Shape crate = make<Shape>(cullide_shape_box, cullide_vec3(0.5f, 0.5f, 0.5f));
    Shape ball = make<Shape>(cullide_shape_ball, 0.75f);

    std::vector<CullideObject> objects = {cullide_object(hills.get()), cullide_object(ball.get())};
    objects[1].pose = cullide_at(-8.0f, 3.0f, 0.25f);
    for (int i = 0; i < 20; i++) {
        objects.push_back(cullide_object(crate.get()));
        objects.back().pose = cullide_at(4.0f, 1.5f + static_cast<float>(i / 5), 1.0625f * static_cast<float>(i % 5) - 2.0f);
    }
    for (std::size_t i = 1; i < objects.size(); i++)
        objects[i].mobility = CULLIDE_MOVING;
    std::vector<CullideKey> keys(objects.size());
    check(cullide_insert(world.get(), objects.data(), objects.size(), keys.data()));
    CullideRigidBody body = cullide_rigid_body();
    for (std::size_t i = 2; i < keys.size(); i++)
        check(cullide_body_insert(dynamics.get(), world.get(), keys[i], &body));
    body.velocity = cullide_vec3(24.0f, 2.0f, 0.0f);
    body.mass = 4.0f;
    check(cullide_body_insert(dynamics.get(), world.get(), keys[1], &body));

    // Back by copies, then by bytes, which could have come over a network.
    World world_before = make<World>(cullide_world_clone, world.get());
    Dynamics dynamics_before = make<Dynamics>(cullide_dynamics_clone, dynamics.get());
    std::uint64_t first = run(world, dynamics, 96), second = run(world_before, dynamics_before, 48);
    Snapshot of_world = make<Snapshot>(cullide_world_save, world_before.get());
    Snapshot of_bodies = make<Snapshot>(cullide_dynamics_save, dynamics_before.get(), world_before.get());
    std::vector<std::uint8_t> bytes = list<std::uint8_t>(cullide_snapshot_bytes, of_world.get());
    World restored = make<World>(cullide_world_restore, bytes.data(), bytes.size());
    bytes = list<std::uint8_t>(cullide_snapshot_bytes, of_bodies.get());
    Dynamics bodies = make<Dynamics>(cullide_dynamics_restore, bytes.data(), bytes.size(), restored.get());
    second = run(world_before, dynamics_before, 48);
    std::uint64_t third = run(restored, bodies, 48);
    std::printf("%s\n", first == second && second == third ? "three times the same" : "different!");
    fold(first);
    fold(third);

    // What the ball has done: how far are the crates, and what is near it?
    for (const CullideMoved &moved : list<CullideMoved>(cullide_moved, bodies.get(), restored.get()))
        fold(moved.pose);
    std::vector<CullidePose> poses(keys.size());
    check(cullide_poses(restored.get(), keys.data(), poses.data(), keys.size()));
    const CullideFilter *all = nullptr;
    for (CullideKey key : list<CullideKey>(cullide_overlap, restored.get(), ball.get(), poses[2], all))
        fold(key);
    CullideNear near[4];
    std::size_t total;
    check(cullide_nearest(restored.get(), poses[1].position, std::numeric_limits<float>::infinity(), all, near, 4, &total));
    for (std::size_t i = 0; i < total; i++)
        fold(near[i].target), fold(near[i].distance);
    CullideMotion motion = {ball.get(), cullide_at(-8.0f, 8.0f, 0.0f), cullide_vec3(16.0f, -12.0f, 1.0f)};
    CullideSwept swept;
    check(cullide_sweep(restored.get(), &motion, all, &swept));
    fold(swept.position), fold(swept.hit.target), fold(swept.hit.time), fold(swept.hit.part);
    std::printf("the ball is at %.2f %.2f %.2f; another stops after %.3f of its way\n", poses[1].position.x,
                poses[1].position.y, poses[1].position.z, swept.hit.time);
    std::printf("hash %016llx\n", static_cast<unsigned long long>(hash));
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
