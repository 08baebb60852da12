using System;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Mono.Data.Sqlite;

namespace Tillseal.Tests
{
    public sealed class FileTests
    {
        private static Task<Outbox> Open(TemporaryFolder folder) => new ScriptedServer().OutboxAsync(folder);

        private static Task Refused(TemporaryFolder folder, string words) => Check.ThrowsAsync<OutboxException>(() => Open(folder), words);

        public async Task A_new_file_is_its_owners_alone_and_found_again_from_any_folder(TemporaryFolder folder)
        {
            var before = Directory.GetCurrentDirectory();
            try
            {
                Directory.SetCurrentDirectory(folder["."]);
                using (var server = new ScriptedServer())
                {
                    var outbox = await server.Client().OpenOutboxAsync("till.outbox", TemporaryFolder.Connect);
                    Directory.SetCurrentDirectory(before);
                    Check.True(await outbox.SellAsync(ClientTests.Sale("A")) is Signed, "sold");
                    Check.SameList("600 600", new[] { "", "-journal" }.Select(end => Child.Shell($"stat -c %a '{folder.Outbox}{end}'").Trim()));
                }
            }
            finally { Directory.SetCurrentDirectory(before); }
        }

        public async Task A_locked_file_is_waited_for_but_not_for_ever(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer())
            {
                var outbox = await server.OutboxAsync(folder);
                using (var holder = TemporaryFolder.Connect(folder.Outbox))
                {
                    holder.Open();
                    new SqliteCommand("begin exclusive", holder).ExecuteNonQuery();
                    var sold = outbox.SellAsync(ClientTests.Sale("A"));
                    await Task.Delay(1500);
                    Check.Same(0, server.Requests.Count);
                    new SqliteCommand("rollback", holder).ExecuteNonQuery();
                    Check.True(await sold is Signed, "as soon as it is free");
                    new SqliteCommand("begin exclusive", holder).ExecuteNonQuery();
                    server.Clock.Speed = 20;
                    await Check.ThrowsAsync<OutboxException>(() => outbox.SellAsync(ClientTests.Sale("B")), "has been locked by another program for 10 seconds. Nothing was sent: the same receipt may be sold again, unchanged");
                    await Check.ThrowsAsync<OutboxException>(() => outbox.StatusAsync(), "locked");
                }
            }
        }

        public async Task What_is_no_outbox_is_refused_and_left_alone(TemporaryFolder folder)
        {
            Func<byte[], string, Task> refused = async (bytes, words) =>
            {
                File.WriteAllBytes(folder.Outbox, bytes);
                await Refused(folder, words);
                Check.True(File.ReadAllBytes(folder.Outbox).SequenceEqual(bytes), $"it was changed: {words}");
            };
            Func<string, byte[]> database = sql =>
            {
                File.Delete(folder.Outbox);
                folder.Sql(sql);
                return File.ReadAllBytes(folder.Outbox);
            };
            await refused(Encoding.ASCII.GetBytes("Dear diary"), "Stop the tills, copy it together with");
            await refused(database("create table meta (version integer)"), "is a database of something else. It was not touched");
            await refused(database("create table diary (day text)"), "is a database of something else");
            await refused(database("create table meta (version integer, id text); create table sales (reference text); insert into meta values (2, 'x')"), "is an outbox of version 2");
            File.Delete(folder.Outbox);
            await Open(folder);
            var whole = File.ReadAllBytes(folder.Outbox);
            await refused(whole.Select((each, i) => i > 4096 + 8 ? (byte)'x' : each).ToArray(), $"sqlite3 {folder.Outbox} .recover | sqlite3 NEW");
        }

        public async Task Without_SQLite_or_with_a_pool_one_sentence_says_what_to_do(TemporaryFolder folder)
        {
            using (var client = new Client("http://127.0.0.1", "none"))
            {
                await Check.ThrowsAsync<ArgumentException>(() => client.OpenOutboxAsync(folder.Outbox, null), "install the package Microsoft.Data.Sqlite");
                await Check.ThrowsAsync<OutboxException>(() => client.OpenOutboxAsync(folder.Outbox, path => throw new DllNotFoundException("sqlite3")), "install the package Microsoft.Data.Sqlite");
                await Check.ThrowsAsync<OutboxException>(() => client.OpenOutboxAsync(folder.Outbox, path => new SqliteConnection($"Data Source={path};Pooling=True")), "add Pooling=False");
                await Check.ThrowsAsync<OutboxException>(() => client.OpenOutboxAsync(folder["no/folder/till.outbox"], TemporaryFolder.Connect), "cannot be read or written");
            }
        }

        public async Task A_commit_that_is_refused_is_a_sale_that_was_not_made(TemporaryFolder folder)
        {
            var refused = 0;
            using (var server = new ScriptedServer())
            {
                var outbox = await server.Client().OpenOutboxAsync(folder.Outbox, path =>
                {
                    var connection = TemporaryFolder.Connect(path);
                    connection.Commit += (sender, commit) => commit.AbortTransaction = refused-- > 0;
                    return connection;
                });
                refused = 9;
                await Check.ThrowsAsync<OutboxException>(() => outbox.SellAsync(ClientTests.Sale("A")), "Nothing was sent: the same receipt may be sold again, unchanged");
                Check.Same(0, server.Requests.Count + (await outbox.StatusAsync()).Queued);
                refused = 0;
                await outbox.SellAsync(ClientTests.Sale("A"), TimeSpan.Zero);
                await outbox.DiscardAsync("A");
                refused = 1;
                await Check.ThrowsAsync<OutboxException>(() => outbox.SellAsync(ClientTests.Sale("A")), "Nothing was sent");
                Check.Same("Discarded", (await outbox.FindAsync("A")).State.ToString(), "the one before it is not this one");
                Check.True(await outbox.SellAsync(ClientTests.Sale("A")) is Signed, "sold again, unchanged");
            }
        }
    }
}
