using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Tillseal.Tests
{
    public sealed class ProcessTests
    {
        public async Task Killed_at_any_moment_on_a_shared_file_no_sale_is_lost_and_each_till_keeps_its_order(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer())
            {
                var acknowledged = new List<string>();
                for (var round = 0; round < 3; round++)
                {
                    var tills = new[] { "A", "B" }.Select(prefix => Child.Start("sell", server.Url, folder.Outbox, $"{prefix}{round}")).ToList();
                    foreach (var till in tills) acknowledged.Add(till.StandardOutput.ReadLine());
                    await Task.Delay(round * 137);
                    foreach (var till in tills)
                    {
                        till.Kill();
                        acknowledged.AddRange(till.StandardOutput.ReadToEnd().Split('\n').Where(line => line.EndsWith(".", StringComparison.Ordinal)));
                        till.WaitForExit();
                        till.Dispose();
                    }
                }
                Check.Same("ok", folder.Sql("pragma integrity_check"));
                Check.Same(0, (await (await server.OutboxAsync(folder)).DrainAsync()).Status.Queued);
                var sent = server.Requests.Select(request => request.Reference).Distinct().ToList();
                Check.SameList("", acknowledged.Except(sent));
                foreach (var till in sent.GroupBy(reference => reference.Split('-')[0]))
                    Check.SameList(string.Join(" ", Enumerable.Range(1, till.Count()).Select(number => $"{till.Key}-{number}.")), till);
            }
        }

        public async Task A_full_disk_is_said_before_the_sale_and_leaves_the_file_whole(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer())
            {
                var outbox = await server.OutboxAsync(folder);
                await outbox.SellAsync(ClientTests.Sale("A"));
                var words = Child.Shell($"trap '' XFSZ; ulimit -f 32; exec mono '{typeof(Child).Assembly.Location}' child sell-large '{server.Url}' '{folder.Outbox}'");
                Check.True(words.Contains("Nothing was sent"), words);
                Check.Same("ok 1", folder.Sql("pragma integrity_check") + $" {server.Requests.Count}");
                Check.True(await outbox.SellAsync(ClientTests.Sale("B")) is Signed, "and it goes on");
            }
        }

        public void A_standard_error_that_cannot_be_written_stops_neither_a_sale_nor_the_background(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer(new Reply { Text = "<html>" }))
                Check.Same("Signed\nstopped\n", Child.Shell($"exec mono '{typeof(Child).Assembly.Location}' child sell-unheard '{server.Url}' '{folder.Outbox}' 2>/dev/full"));
        }
    }

    /// <summary>This program again, as another process.</summary>
    internal static class Child
    {
        internal static Process Start(params string[] words) => Process.Start(new ProcessStartInfo("mono", $"\"{typeof(Child).Assembly.Location}\" child {string.Join(" ", words)}")
        {
            UseShellExecute = false, RedirectStandardOutput = true,
        });

        internal static string Shell(string script)
        {
            using (var shell = Process.Start(new ProcessStartInfo("sh", $"-c \"{script}\"") { UseShellExecute = false, RedirectStandardOutput = true }))
            {
                var text = shell.StandardOutput.ReadToEnd();
                shell.WaitForExit();
                return text;
            }
        }

        internal static int Run(string[] words)
        {
            using (var client = new Client(words[1], "tsk_test"))
            {
                var outbox = client.OpenOutboxAsync(words[2], TemporaryFolder.Connect).Result;
                if (words[0] == "sell")
                {
                    for (var number = 1; ; number++)
                    {
                        outbox.SellAsync(ClientTests.Sale($"{words[3]}-{number}.", words[3][1])).Wait();
                        Console.WriteLine($"{words[3]}-{number}.");
                    }
                }
                if (words[0] == "sell-unheard")
                {
                    Console.WriteLine(outbox.SellAsync(ClientTests.Sale("A"), TimeSpan.FromSeconds(50)).Result.GetType().Name);
                    File.Delete(words[2]);
                    outbox.Start();
                    Thread.Sleep(1500);
                    outbox.StopAsync().Wait();
                    Console.WriteLine("stopped");
                    return 0;
                }
                var receipt = ClientTests.Sale("large");
                receipt.Notes = new string('x', 50_000);
                try { outbox.SellAsync(receipt).Wait(); }
                catch (AggregateException error) { Console.WriteLine(error.InnerException.Message); }
                return 0;
            }
        }
    }
}
