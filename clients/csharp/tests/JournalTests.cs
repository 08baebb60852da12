using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Tillseal.Tests
{
    public sealed class JournalTests
    {
        private static Dictionary<string, object> Record(string kind, string reference, string body = "{}") => new Dictionary<string, object>
        {
            ["Kind"] = kind, ["Reference"] = reference, ["AuthorityDeviceId"] = 1, ["Body"] = body, ["Status"] = 400, ["Answer"] = "{\"Reference\":\"x\"}",
        };

        private static async Task Append(Journal journal, string kind, string reference, int secondsAgo = 0) =>
            await journal.AppendAsync(new OnlyOnce(Record(kind, reference)).Make, CancellationToken.None, DateTimeOffset.UtcNow.AddSeconds(-secondsAgo));

        private static Task<string> Open(TemporaryFolder folder) => new Journal(folder.Journal).LookAsync(state => string.Join(" ", state.Open.Values.Select(sale => sale.Reference)), CancellationToken.None);

        private static string Read(TemporaryFolder folder) => File.ReadAllText(folder.Journal);

        public async Task A_line_is_what_the_format_says(TemporaryFolder folder)
        {
            await Append(new Journal(folder.Journal), "Sale", "é");
            var lines = Read(folder).Split('\n');
            Check.Same("", lines[2]);
            Check.True(lines[0].Contains("{\"Kind\":\"Outbox\",\"Version\":1,\"Id\":\""), lines[0]);
            // Computed by zlib.
            var resumed = JournalLine.Write(new Dictionary<string, object> { ["Kind"] = "Resumed", ["At"] = "2026-11-16T09:30:00Z" });
            Check.Same("ab3c42f5 {\"Kind\":\"Resumed\",\"At\":\"2026-11-16T09:30:00Z\"}\n", Encoding.UTF8.GetString(resumed));
        }

        public async Task A_torn_last_line_is_ignored_and_cut_by_the_next_append(TemporaryFolder folder)
        {
            var journal = new Journal(folder.Journal);
            await Append(journal, "Sale", "A");
            var whole = Read(folder);
            foreach (var torn in new[] { "1234", "00000000 {\"Kind\":\"Sale\"}\n", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" })
            {
                File.AppendAllText(folder.Journal, torn);
                Check.Same("A", await Open(folder));
                Check.Same(whole + torn, Read(folder), "a reader leaves it");
                await Append(journal, "Sale", "A");
                Check.Same(whole + torn, Read(folder), "an append that has nothing to write leaves it");
                await Append(new Journal(folder.Journal), "Sale", "B");
                Check.True(Read(folder).StartsWith(whole, StringComparison.Ordinal) && !Read(folder).Contains(torn), "it is cut");
                Check.Same("A B", await Open(folder));
                File.WriteAllText(folder.Journal, whole);
            }
        }

        public async Task A_damaged_line_in_the_middle_stops_everything_and_is_named(TemporaryFolder folder)
        {
            var journal = new Journal(folder.Journal);
            foreach (var reference in new[] { "A", "B", "C" }) await Append(journal, "Sale", reference);
            var damaged = Read(folder).Replace("\"B\"", "\"X\"");
            File.WriteAllText(folder.Journal, damaged);
            Check.Same(3, (await Check.ThrowsAsync<DamagedJournalException>(() => new Outbox(null, folder.Journal).StatusAsync())).Line);
            await Check.ThrowsAsync<DamagedJournalException>(() => Append(new Journal(folder.Journal), "Sale", "D"));
            Check.Same(damaged, Read(folder));
        }

        public async Task Another_file_or_version_is_left_alone(TemporaryFolder folder)
        {
            var newer = Encoding.UTF8.GetString(JournalLine.Write(new Dictionary<string, object> { ["Kind"] = "Outbox", ["Version"] = 2 }));
            foreach (var text in new[] { "Dear diary", "Dear diary\n", newer })
            {
                File.WriteAllText(folder.Journal, text);
                await Check.ThrowsAsync<JournalException>(() => Append(new Journal(folder.Journal), "Sale", "A"));
                Check.Same(text, Read(folder));
            }
        }

        public async Task An_empty_file_becomes_a_journal_that_only_its_owner_reads(TemporaryFolder folder)
        {
            File.WriteAllText(folder.Journal, "");
            await Append(new Journal(folder.Journal), "Sale", "A");
            Check.Same("A", await Open(folder));
            Check.Same("600", Child.Shell($"stat -c %a '{folder.Journal}'").Trim());
        }

        public async Task Compaction_leaves_out_what_is_finished_and_nothing_else(TemporaryFolder folder)
        {
            var journal = new Journal(folder.Journal);
            foreach (var reference in new[] { "old", "recent", "parked", "retried", "discarded", "open" }) await Append(journal, "Sale", reference, 200);
            await Append(journal, "Signed", "old", 100);
            await Append(journal, "Signed", "recent", 10);
            foreach (var reference in new[] { "parked", "retried", "discarded" }) await Append(journal, "Parked", reference, 100);
            await Append(journal, "Retried", "retried", 100);
            await Append(journal, "Discarded", "discarded", 100);
            foreach (var kind in new[] { "Halted", "Resumed", "Halted" }) await Append(journal, kind, null, 100);
            var reader = new Journal(folder.Journal);
            await reader.LookAsync(state => state.Open.Count, CancellationToken.None);
            var before = Read(folder).Split('\n');
            using (var drain = journal.TryTakeDrainLock()) await journal.CompactAsync(drain, CancellationToken.None);
            var after = Read(folder).Split('\n');
            Check.True(before[0] != after[0], "the first line is another one");
            Check.SameList(before.Skip(1).Where(line => !line.Contains("old") && !line.Contains("discarded") && !line.Contains("Resumed")).Where((line, i) => !line.Contains("Halted") || i > 8), after.Skip(1));
            await Append(new Journal(folder.Journal), "Sale", "new");
            Check.Same("retried open new", await reader.LookAsync(state => string.Join(" ", state.Open.Values.Select(sale => sale.Reference)), CancellationToken.None), "a reader that had its place in the old file");
            Check.Same("600", Child.Shell($"stat -c %a '{folder.Journal}'").Trim());
        }

        public async Task A_compaction_that_lost_its_lock_changes_nothing(TemporaryFolder folder)
        {
            var journal = new Journal(folder.Journal);
            await Append(journal, "Sale", "A", 200);
            await Append(journal, "Signed", "A", 200);
            var before = Read(folder);
            using (var drain = journal.TryTakeDrainLock())
            {
                File.WriteAllText(folder.Journal + ".drain.2", "{\"Pid\":1}");
                await journal.CompactAsync(drain, CancellationToken.None);
            }
            Check.Same(before, Read(folder));
            Check.Same(false, File.Exists(folder.Journal + ".new"));
        }

        public async Task A_full_disk_is_said_before_the_sale_and_leaves_the_journal_whole(TemporaryFolder folder)
        {
            await Append(new Journal(folder.Journal), "Sale", "A");
            var before = Read(folder);
            Check.True(Child.Shell($"trap '' XFSZ; ulimit -f 1; exec {Child.Command} child sell-large '{folder.Journal}'").Contains("JournalException"), "sell says so");
            Check.Same(before, Read(folder));
            await Append(new Journal(folder.Journal), "Sale", "B");
            Check.Same("A B", await Open(folder));
        }

        /// <summary>Makes a record the first time only, as one that depends on the state would.</summary>
        private sealed class OnlyOnce
        {
            private Dictionary<string, object> record;

            internal OnlyOnce(Dictionary<string, object> record) => this.record = record;

            internal Dictionary<string, object> Make(JournalState state)
            {
                if ((string)record["Kind"] == "Sale" && state.Find((string)record["Reference"]) != null) return null;
                if (record["Reference"] == null) record.Remove("Reference");
                return record;
            }
        }
    }
}
