// A crate falls, somebody walks, and a world comes back from its bytes: what Cullide.cs needs to do, checked.

using System;
using Cullide;
using CullideNative;

static class Program
{
    const float Dt = 1.0f / 64.0f;

    static void Expect(bool holds, string what)
    {
        if (!holds)
            throw new Exception("not so: " + what);
    }

    static void Main()
    {
        CullideException.CheckLibrary();
        using (var world = new World(3))
        using (var dynamics = new Dynamics())
        using (var box = Shape.Box(Make.Vec3(0.5f, 0.5f, 0.5f)))
        using (var capsule = Shape.Capsule(0.5f, 0.25f))
        {
            ulong floor = world.InsertPlane(Make.Vec3(0, 1, 0), 0);
            ulong crate = world.Insert(box, Make.At(0, 3, 0), Native.CULLIDE_MOVING, user: 7);
            dynamics.Insert(world, crate, Native.cullide_rigid_body());
            var moved = new CullideMoved[4];
            int most = 0;
            for (int i = 0; i < 128; i++)
            {
                dynamics.Step(world, Dt);
                most = Math.Max(most, dynamics.Moved(world, moved));
            }
            Expect(most == 1 && moved[0].key == crate && moved[0].user == 7, "one body has moved");
            float height = world.PoseOf(crate).position.y;
            Expect(Math.Abs(height - 0.5f) < 0.01f, "the crate lies on the floor, not at " + height);

            CullideRayHit hit;
            var down = new CullideRay { origin = Make.Vec3(0.25f, 9, 0), direction = Make.Vec3(0, -1, 0) };
            Expect(world.CastRay(down, 99, out hit) && hit.target == crate, "the ray hits the crate");
            CullideFilter filter = Native.cullide_filter_all();
            filter.mobility = Native.CULLIDE_FIXED;
            var hits = new CullideRayHit[2];
            world.CastRays(new[] { down, down }, 99, hits, filter);
            Expect(hits[1].target == floor && hits[1].distance == 9, "fixed things alone: the floor");
            var keys = new ulong[1];
            Expect(world.Overlap(box, Make.At(0.5f, 0.5f, 0), keys) == 2 && keys[0] == crate, "crate and floor, of which one fits");
            Expect(world.Sweep(box, Make.At(0, 5, 0), Make.Vec3(0, -8, 0)).hit.target == crate, "the sweep stops at the crate");

            using (var hero = new Character(capsule, Make.At(-3, 1, 0)))
            {
                CullideWalk walk = hero.Walk(world, dynamics, Make.Vec3(0, -1, 0), Dt);
                for (int i = 0; i < 256; i++)
                {
                    walk = hero.Walk(world, dynamics, walk.state.ground.target != 0 ? Make.Vec3(2, 0, 0) : Make.Vec3(2, -2, 0), Dt);
                    dynamics.Step(world, Dt);
                }
                Expect(walk.state.ground.target == floor && walk.state.position.x > 2, "somebody walks and pushes the crate");
            }
            using (var copy = World.Restore(world.Save()))
                Expect(copy.Hash() == world.Hash(), "a world comes back from its bytes");
            try
            {
                world.Remove(crate);
                world.Remove(crate);
                Expect(false, "a stale key is refused");
            }
            catch (CullideException error)
            {
                Expect(error.Status == CullideStatus.StaleKey && error.Message.Contains("forget keys"), error.Message);
            }
            Console.WriteLine("C#: as expected, hash {0:x16}", world.Hash());
        }
    }
}
