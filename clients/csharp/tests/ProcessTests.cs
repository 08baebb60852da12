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
        public async Task Two_processes_share_a_journal_and_each_sale_is_sealed_once_in_order(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer())
            {
                var tills = new[] { "A", "B" }.Select(prefix => Child.Start("sell", server.Url, folder.Journal, prefix, "15")).ToList();
                foreach (var till in tills) Check.Same(0, await Child.EndAsync(till));
                await server.Outbox(folder.Journal).DrainAsync();
                foreach (var prefix in new[] { "A", "B" })
                    Check.SameList(Enumerable.Range(1, 15).Select(number => $"{prefix}-{number}"), server.Requests.Select(request => request.Reference).Where(reference => reference[0] == prefix[0]).Distinct());
            }
        }

        public async Task A_holder_that_is_killed_is_followed_at_once(TemporaryFolder folder)
        {
            using (var holder = Child.Start("hold", folder.Journal))
            {
                Check.Same("held", holder.StandardOutput.ReadLine());
                Check.Same(null, FileLock.TryTake(folder.Journal + ".append"));
                holder.Kill();
                await Child.EndAsync(holder);
                using (var taken = FileLock.TryTake(folder.Journal + ".append")) Check.True(taken != null, "it is free");
            }
        }

        public async Task Killed_at_any_moment_no_sale_is_lost_or_doubled(TemporaryFolder folder)
        {
            using (var server = new ScriptedServer())
            {
                var acknowledged = new List<string>();
                for (var round = 0; round < 5; round++)
                {
                    using (var till = Child.Start("sell", server.Url, folder.Journal, $"K{round}", "1000"))
                    {
                        acknowledged.Add(till.StandardOutput.ReadLine());
                        await Task.Delay(round * 37);
                        till.Kill();
                        acknowledged.AddRange(till.StandardOutput.ReadToEnd().Split('\n').Where(line => line.StartsWith("K", StringComparison.Ordinal)));
                        await Child.EndAsync(till);
                    }
                }
                Check.Same(0, (await server.Outbox(folder.Journal).DrainAsync()).Open);
                var sent = server.Requests.Select(request => request.Reference).Distinct().ToList();
                Check.Same("", string.Join(" ", acknowledged.Except(sent)), "acknowledged and never sent");
                for (var round = 0; round < 5; round++)
                {
                    var numbers = sent.Where(reference => reference.StartsWith($"K{round}-", StringComparison.Ordinal)).ToList();
                    Check.SameList(Enumerable.Range(1, numbers.Count).Select(number => $"K{round}-{number}"), numbers);
                }
            }
        }
    }

    /// <summary>This program again, as another process.</summary>
    internal static class Child
    {
        internal static readonly string Command = $"mono '{typeof(Child).Assembly.Location}'";

        internal static Process Start(params string[] words) => Process.Start(new ProcessStartInfo("mono", $"\"{typeof(Child).Assembly.Location}\" child {string.Join(" ", words)}")
        {
            UseShellExecute = false, RedirectStandardOutput = true,
        });

        internal static async Task<int> EndAsync(Process process)
        {
            await Task.Run(() => process.WaitForExit());
            return process.ExitCode;
        }

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
            if (words[0] == "sell")
            {
                using (var client = new TillsealClient(words[1], "tsk_test"))
                {
                    var outbox = new Outbox(client, words[2]);
                    for (var number = 1; number <= int.Parse(words[4]); number++)
                    {
                        outbox.SellAsync(ClientTests.Sale($"{words[3]}-{number}")).Wait();
                        Console.WriteLine($"{words[3]}-{number}");
                    }
                }
            }
            if (words[0] == "hold")
            {
                FileLock.TryTake(words[1] + ".append");
                Console.WriteLine("held");
                Thread.Sleep(60_000);
            }
            if (words[0] == "sell-large")
            {
                var receipt = ClientTests.Sale("large");
                receipt.Notes = new string('x', 5000);
                try { new Outbox(null, words[1]).SellAsync(receipt).Wait(); }
                catch (AggregateException error) { Console.WriteLine(error.InnerException.GetType().Name); }
            }
            return 0;
        }
    }
}
