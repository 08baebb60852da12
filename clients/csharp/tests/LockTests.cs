using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Tillseal.Tests
{
    public sealed class LockTests
    {
        private static string Holder(int pid, string start, string init) => $"{{\"Pid\":{pid},\"Start\":\"{start}\",\"Init\":\"{init}\",\"Token\":\"0123456789abcdef\"}}\n";

        private static void Age(string path, int seconds) => File.SetLastWriteTimeUtc(path, DateTime.UtcNow.AddSeconds(-seconds));

        private static bool CanTake(TemporaryFolder folder)
        {
            using (var taken = FileLock.TryTake(folder["lock"])) return taken != null;
        }

        public void Only_one_holds_it_and_generations_count_on(TemporaryFolder folder)
        {
            using (var one = FileLock.TryTake(folder["lock"]))
            {
                Check.True(one.IsMine, "it is mine");
                Check.Same(null, FileLock.TryTake(folder["lock"]));
            }
            Check.Same("{}", File.ReadAllText(folder["lock.1"]).Trim());
            using (FileLock.TryTake(folder["lock"])) Check.SameList(new[] { "lock.2" }, Directory.GetFiles(folder[""]).Select(Path.GetFileName));
        }

        public void A_dead_holder_holds_nothing(TemporaryFolder folder)
        {
            File.WriteAllText(folder["lock.7"], Holder(RunningProcess.OwnId, "1", RunningProcess.InitStart));
            Check.True(CanTake(folder), "a process with this number and another start");
            using (var ended = Process.Start(new ProcessStartInfo("true") { UseShellExecute = false }))
            {
                ended.WaitForExit();
                File.WriteAllText(folder["lock.9"], Holder(ended.Id, "1", RunningProcess.InitStart));
                Check.True(CanTake(folder), "no process with this number");
            }
        }

        public void A_killed_holder_that_its_parent_has_not_noticed_holds_nothing(TemporaryFolder folder)
        {
            // The shell's child ends after the shell was replaced by sleep, which never asks for it.
            using (var parent = Process.Start(new ProcessStartInfo("sh", "-c 'sleep 0.3 & echo $!; exec sleep 30'") { UseShellExecute = false, RedirectStandardOutput = true }))
            {
                var child = int.Parse(parent.StandardOutput.ReadLine());
                try
                {
                    Func<string[]> stat = () => File.ReadAllText($"/proc/{child}/stat").Split(' ');
                    while (stat()[2] != "Z") Thread.Sleep(10);
                    File.WriteAllText(folder["lock.1"], Holder(child, stat()[21], RunningProcess.InitStart));
                    Check.True(CanTake(folder), "it has ended");
                }
                finally { parent.Kill(); }
            }
        }

        public void A_holder_that_cannot_be_seen_holds_it_for_a_minute(TemporaryFolder folder)
        {
            File.WriteAllText(folder["lock.1"], Holder(999999, "1", "another container"));
            Check.True(!CanTake(folder), "it may live");
            Age(folder["lock.1"], 61);
            Check.True(CanTake(folder), "it is stale");
        }

        public void A_living_holder_that_stopped_loses_it_and_knows(TemporaryFolder folder)
        {
            using (var mine = FileLock.TryTake(folder["lock"]))
            {
                Age(folder["lock.1"], 61);
                Check.True(CanTake(folder), "it is stale");
                Check.True(!mine.IsMine, "it is lost");
            }
            Check.SameList(new[] { "lock.2" }, Directory.GetFiles(folder[""]).Select(Path.GetFileName));
        }

        public void One_that_was_never_written_holds_for_five_seconds(TemporaryFolder folder)
        {
            foreach (var text in new[] { "", "{\"Pid\":" })
            {
                File.WriteAllText(folder["lock.90"], text);
                Check.True(!CanTake(folder), "its process may be writing it");
                Age(folder["lock.90"], 6);
                Check.True(CanTake(folder), "its process is dead");
                foreach (var file in Directory.GetFiles(folder[""])) File.Delete(file);
            }
        }

        public async Task A_lock_that_is_held_for_long_stays_fresh(TemporaryFolder folder)
        {
            using (FileLock.TryTake(folder["lock"], TimeSpan.FromMilliseconds(50)))
            {
                Age(folder["lock.1"], 61);
                while (DateTime.UtcNow - File.GetLastWriteTimeUtc(folder["lock.1"]) > TimeSpan.FromSeconds(30)) await Task.Delay(10);
                Check.True(!CanTake(folder), "it is still held");
            }
        }

        public async Task Many_threads_take_turns(TemporaryFolder folder)
        {
            var inside = 0;
            var turns = 0;
            await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Run(async () =>
            {
                for (var i = 0; i < 10; i++)
                {
                    using (await FileLock.TakeAsync(folder["lock"], CancellationToken.None))
                    {
                        Check.Same(1, Interlocked.Increment(ref inside));
                        turns++;
                        Interlocked.Decrement(ref inside);
                    }
                }
            })));
            Check.Same(80, turns);
        }
    }
}
