using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Tillseal
{
    /// <summary>
    /// A lock that programs in all languages share: the file <c>NAME.N</c> that only one can create, N being a generation.
    /// docs/outbox.md of Tillseal defines it and says why it is right.
    /// </summary>
    internal sealed class FileLock : IDisposable
    {
        private static readonly TimeSpan Rhythm = TimeSpan.FromSeconds(10);
        private static readonly TimeSpan Stale = TimeSpan.FromSeconds(60);
        private static readonly TimeSpan Unwritten = TimeSpan.FromSeconds(5);
        private static readonly TimeSpan Patience = TimeSpan.FromSeconds(70);
        private readonly string name;
        private readonly long generation;
        private readonly byte[] content;
        private readonly Timer heartbeat;
        private bool isReleased;

        private FileLock(string name, long generation, byte[] content, TimeSpan rhythm)
        {
            this.name = name;
            this.generation = generation;
            this.content = content;
            heartbeat = new Timer(_ => Beat(), null, rhythm, rhythm);
        }

        /// <summary>Nobody took it away because this process seemed to be dead.</summary>
        internal bool IsMine => Highest(Generations(name)) == generation;

        internal static async Task<FileLock> TakeAsync(string name, CancellationToken cancellation)
        {
            for (var start = Monotonic.Now; Monotonic.Now - start < Patience;)
            {
                var taken = TryTake(name);
                if (taken != null) return taken;
                await Task.Delay(10, cancellation).ConfigureAwait(false);
            }
            throw new JournalException($"{name}: another program has held this lock for more than a minute");
        }

        /// <summary>Null when a living process holds it.</summary>
        internal static FileLock TryTake(string name, TimeSpan? rhythm = null)
        {
            while (true)
            {
                var highest = Highest(Generations(name));
                if (highest > 0 && IsHeld(PathOf(name, highest))) return null;
                var taken = TryCreate(name, highest + 1, rhythm ?? Rhythm);
                if (taken == null) continue;
                var listed = Generations(name);
                // Made late, from an old list: another one is ahead, or was and its traces are gone.
                var isLate = Highest(listed) > highest + 1 || (highest > 0 && (!listed.Contains(highest) || IsHeld(PathOf(name, highest))));
                if (!isLate)
                {
                    foreach (var lower in listed.Where(other => other <= highest).OrderBy(other => other)) File.Delete(PathOf(name, lower));
                    return taken;
                }
                taken.heartbeat.Dispose();
                File.Delete(PathOf(name, highest + 1));
            }
        }

        /// <summary>Releases it, unless it is lost. The file stays: the next one counts from its number.</summary>
        public void Dispose()
        {
            heartbeat.Dispose();
            lock (content)
            {
                isReleased = true;
                if (IsMine) Overwrite(Encoding.ASCII.GetBytes("{}".PadRight(content.Length)));
            }
        }

        private static FileLock TryCreate(string name, long generation, TimeSpan rhythm)
        {
            var path = PathOf(name, generation);
            var content = Encoding.ASCII.GetBytes(Json.Write(new Dictionary<string, object>
            {
                ["Pid"] = RunningProcess.OwnId, ["Start"] = RunningProcess.OwnStart, ["Init"] = RunningProcess.InitStart, ["Token"] = Disk.RandomDigits(),
            }) + "\n");
            var isCreated = false;
            try
            {
                using (var file = Disk.Open(path, FileMode.CreateNew, FileAccess.Write))
                {
                    isCreated = true;
                    Disk.SetMode(path, Disk.ReadByAll);
                    file.Write(content, 0, content.Length);
                }
                return new FileLock(name, generation, content, rhythm);
            }
            catch (IOException error) when (!isCreated && Disk.IsThereAlready(error)) { return null; }
            // It was created too late: the holder of a higher one has deleted it.
            catch (IOException) when (isCreated && !File.Exists(path)) { return null; }
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException)
            {
                if (isCreated) File.Delete(path);
                throw new JournalException($"{path} cannot be written: {error.Message}", error);
            }
        }

        private static bool IsHeld(string path)
        {
            try
            {
                string text;
                // Not File.ReadAllText: it would keep the holder from releasing the lock while it reads.
                using (var reader = new StreamReader(Disk.Open(path, FileMode.Open, FileAccess.Read))) text = reader.ReadToEnd().Trim();
                if (text == "{}") return false;
                var age = (DateTime.UtcNow - File.GetLastWriteTimeUtc(path)).Duration();
                return TryReadHolder(text, out var holder) ? age <= Stale && holder.IsAlive : age <= Unwritten;
            }
            // Deleted or being written: look again.
            catch (IOException) { return true; }
        }

        private static bool TryReadHolder(string text, out RunningProcess holder)
        {
            holder = null;
            try { holder = Json.Read<RunningProcess>(text); }
            catch (FormatException) { }
            return holder != null && holder.Pid > 0;
        }

        private void Beat()
        {
            // A beat that was on its way when the lock was released must not take it again.
            lock (content) if (!isReleased) Overwrite(content);
        }

        /// <summary>In place, so that a process killed meanwhile leaves no empty file; a lost one, deleted by its next holder, is left alone.</summary>
        private void Overwrite(byte[] text)
        {
            try
            {
                using (var file = Disk.Open(PathOf(name, generation), FileMode.Open, FileAccess.Write)) file.Write(text, 0, text.Length);
            }
            catch (IOException) { }
        }

        private static string PathOf(string name, long generation) => $"{name}.{generation}";

        private static long Highest(IEnumerable<long> generations) => generations.DefaultIfEmpty(0).Max();

        private static List<long> Generations(string name)
        {
            var folder = Path.GetDirectoryName(Path.GetFullPath(name));
            var prefix = Path.GetFileName(name) + ".";
            try
            {
                return (from path in Directory.EnumerateFiles(folder, prefix + "*")
                        let file = Path.GetFileName(path)
                        where file.StartsWith(prefix, StringComparison.Ordinal)
                        let digits = file.Substring(prefix.Length)
                        where long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out _)
                        select long.Parse(digits, CultureInfo.InvariantCulture)).ToList();
            }
            catch (DirectoryNotFoundException error) { throw new JournalException($"the folder {folder} does not exist", error); }
        }
    }
}
