using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Tillseal
{
    /// <summary>
    /// The file in which an outbox keeps its sales. docs/outbox.md of Tillseal defines it; programs in other languages read and write the
    /// same file at the same time.
    /// </summary>
    internal sealed class Journal
    {
        private const int Version = 1;
        private static readonly TimeSpan FinishedSalesStay = TimeSpan.FromSeconds(60);
        /// <summary>Held while the fields below are read or changed.</summary>
        private readonly object gate = new object();
        /// <summary>Threads of this process queue here rather than at the lock file.</summary>
        private readonly SemaphoreSlim turn = new SemaphoreSlim(1);
        private readonly string path;
        private JournalState state = new JournalState();
        private byte[] firstLine = new byte[0];
        private long place;
        private int line;
        private long flushedTo;

        internal Journal(string path) => this.path = path;

        internal FileLock TryTakeDrainLock() => Guarded(() => FileLock.TryTake(path + ".drain"));

        /// <summary>What the journal says now.</summary>
        internal async Task<T> LookAsync<T>(Func<JournalState, T> see, CancellationToken cancellation)
        {
            try
            {
                lock (gate)
                {
                    Guarded(ReadOn);
                    return see(state);
                }
            }
            catch (DamagedJournalException)
            {
                // Or it was read while another process cut the tail: with the lock it is certain.
            }
            using (await FileLock.TakeAsync(path + ".append", cancellation).ConfigureAwait(false))
            {
                lock (gate)
                {
                    Guarded(ReadOn);
                    return see(state);
                }
            }
        }

        /// <summary>Appends the record that the journal's state asks for (null: none), flushed before this returns.</summary>
        /// <returns>Whether one was written.</returns>
        internal async Task<bool> AppendAsync(Func<JournalState, Dictionary<string, object>> make, CancellationToken cancellation, DateTimeOffset? at = null)
        {
            await turn.WaitAsync(cancellation).ConfigureAwait(false);
            try
            {
                for (var isWritten = false; ;)
                {
                    using (var append = await FileLock.TakeAsync(path + ".append", cancellation).ConfigureAwait(false))
                    lock (gate)
                    {
                        Guarded(ReadOn);
                        var record = make(state);
                        if (record == null) return isWritten;
                        record["At"] = JournalLine.Moment(at ?? DateTimeOffset.UtcNow);
                        isWritten = Guarded(() => Write(JournalLine.Write(record), append));
                        // A lock that was lost meanwhile: the file may have been replaced, with this record in it or not.
                        if (isWritten && append.IsMine) return true;
                    }
                }
            }
            finally { turn.Release(); }
        }

        /// <summary>What another process wrote, it may not have flushed yet; nothing is sent before it is.</summary>
        internal void Flush(Sale sale)
        {
            lock (gate)
            {
                if (sale.End <= flushedTo) return;
                using (var file = Disk.Open(path, FileMode.Open, FileAccess.ReadWrite)) file.Flush(true);
                flushedTo = place;
            }
        }

        /// <summary>Leaves out finished sales, so that buyers' data do not stay here. Only the holder of the drain lock does it.</summary>
        internal async Task CompactAsync(FileLock drain, CancellationToken cancellation)
        {
            if (!await LookAsync(IsToCompact, cancellation).ConfigureAwait(false)) return;
            using (var append = await FileLock.TakeAsync(path + ".append", cancellation).ConfigureAwait(false))
            lock (gate)
            {
                Guarded(ReadOn);
                Guarded(() => Disk.Replace(path, WriteCompacted, () => append.IsMine && drain.IsMine));
            }
        }

        private static bool IsOld(Sale sale) => sale.IsFinished && DateTimeOffset.UtcNow - sale.ChangedAt > FinishedSalesStay;

        private static bool IsToCompact(JournalState state) => state.HasEndedHalts || state.Sales.Any(IsOld);

        private void WriteCompacted(Stream compacted)
        {
            WriteFirstLine(compacted);
            var bytes = File.ReadAllBytes(path);
            for (int start = firstLine.Length, end; start < place; start = end + 1)
            {
                end = Array.IndexOf(bytes, (byte)'\n', start);
                if (IsKept(JournalLine.Read(bytes, start, end - start), start)) compacted.Write(bytes, start, end + 1 - start);
            }
        }

        private bool IsKept(Dictionary<string, object> record, long start)
        {
            var kind = JournalState.Text(record, "Kind");
            if (kind == "Resumed" || kind == "Halted") return start == state.Halt?.Start;
            if (!record.ContainsKey("Reference")) return true;
            var sale = state.Find(JournalState.Text(record, "Reference"));
            return sale != null && !IsOld(sale);
        }

        private static void WriteFirstLine(Stream file)
        {
            var first = JournalLine.Write(new Dictionary<string, object> { ["Kind"] = "Outbox", ["Version"] = Version, ["Id"] = Disk.RandomDigits() });
            file.Write(first, 0, first.Length);
        }

        /// <summary>Whether it was written: not when the lock was lost.</summary>
        private bool Write(byte[] bytes, FileLock append)
        {
            if (firstLine.Length == 0)
            {
                Disk.Replace(path, WriteFirstLine, () => append.IsMine);
                ReadOn();
            }
            if (!append.IsMine) return false;
            using (var file = Disk.Open(path, FileMode.Open, FileAccess.ReadWrite))
            {
                if (file.Length > place) file.SetLength(place);
                try
                {
                    file.Seek(place, SeekOrigin.Begin);
                    file.Write(bytes, 0, bytes.Length);
                    file.Flush(true);
                }
                catch
                {
                    if (append.IsMine) file.SetLength(place);
                    throw;
                }
                flushedTo = place + bytes.Length;
            }
            ReadOn();
            return true;
        }

        /// <summary>Reads the lines that are new, or all of them if the file was replaced.</summary>
        private void ReadOn()
        {
            if (!File.Exists(path)) { Forget(); return; }
            using (var file = Disk.Open(path, FileMode.Open, FileAccess.Read))
            {
                if (file.Length == 0) { Forget(); return; }
                var first = ReadFirstLine(file);
                if (!first.SequenceEqual(firstLine) || file.Length < place)
                {
                    Forget();
                    firstLine = first;
                    place = first.Length;
                    line = 1;
                }
                var bytes = ReadRest(file);
                for (int start = 0, end; (end = Array.IndexOf(bytes, (byte)'\n', start)) >= 0; start = end + 1)
                {
                    var record = JournalLine.Read(bytes, start, end - start);
                    if (record == null && end + 1 == bytes.Length) return;
                    if (record == null) throw Damaged();
                    var next = place + end + 1 - start;
                    state.Apply(record, place, next);
                    place = next;
                    line++;
                }
            }
        }

        private DamagedJournalException Damaged()
        {
            var damaged = line + 1;
            Forget();
            return new DamagedJournalException(path, damaged);
        }

        private void Forget()
        {
            state = new JournalState();
            firstLine = new byte[0];
            place = flushedTo = line = 0;
        }

        private byte[] ReadFirstLine(FileStream file)
        {
            var bytes = new byte[512];
            var length = file.Read(bytes, 0, bytes.Length);
            var end = Array.IndexOf(bytes, (byte)'\n', 0, length);
            var record = end < 0 ? null : JournalLine.Read(bytes, 0, end);
            if (record == null || JournalState.Text(record, "Kind") != "Outbox") throw new JournalException($"{path} is not the journal of an outbox: it is left as it is");
            if (!record.TryGetValue("Version", out var version) || !version.Equals((decimal)Version))
                throw new JournalException($"{path} is a journal of version {version}, and this client knows version {Version}: use a newer client");
            return bytes.Take(end + 1).ToArray();
        }

        private byte[] ReadRest(FileStream file)
        {
            file.Seek(place, SeekOrigin.Begin);
            var bytes = new byte[file.Length - place];
            var length = 0;
            for (int read; length < bytes.Length && (read = file.Read(bytes, length, bytes.Length - length)) > 0;) length += read;
            return length == bytes.Length ? bytes : bytes.Take(length).ToArray();
        }

        private T Guarded<T>(Func<T> act)
        {
            try { return act(); }
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException)
            {
                throw new JournalException($"{path} cannot be read or written: {error.Message}", error);
            }
        }

        private void Guarded(Action act) => Guarded(() => { act(); return true; });
    }
}
