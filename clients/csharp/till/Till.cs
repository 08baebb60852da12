using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Mono.Data.Sqlite;

namespace Tillseal.Till
{
    /// <summary>The scripted till that the conformance suite drives; proof/clients/README.md defines its command line.</summary>
    internal static class Program
    {
        private const int Done = 0, Failed = 1, NotUnderstood = 2, IsHalted = 3, TooSlow = 4;

        /// <summary>Without Exit, mono sometimes takes an idle thread of its pool for a busy one, and waits a minute for its end.</summary>
        private static void Main(string[] words) => Environment.Exit(Run(words));

        private static int Run(string[] words)
        {
            try
            {
                return RunAsync(words).GetAwaiter().GetResult();
            }
            catch (Exception error)
            {
                Console.Error.WriteLine(error is TillsealException || error is ArgumentException ? error.Message : error.ToString());
                return error is ArgumentException ? NotUnderstood : Failed;
            }
        }

        internal static SqliteConnection Connect(string path) => new SqliteConnection($"Data Source={path};FailIfMissing=True;Default Timeout=1");

        private static async Task<int> RunAsync(string[] words)
        {
            if (words.Length == 2 && words[0] == "vectors") return await Vectors.RunAsync(words[1]) ? Done : Failed;
            var options = new Options(words);
            using (var client = new Client(options.Text("url", "http://127.0.0.1"), options.Text("token", "none")))
            {
                if (words[0] == "script")
                {
                    await Script.RunAsync(client);
                    return Done;
                }
                var deadline = TimeSpan.FromMilliseconds(options.Number("deadline-ms", 5000));
                return await RunAsync(words[0], await client.OpenOutboxAsync(options.Text("outbox"), Connect, deadline), options);
            }
        }

        private static async Task<int> RunAsync(string command, Outbox outbox, Options options)
        {
            switch (command)
            {
                case "sell": return await Selling.RunAsync(outbox, options) ? Done : Failed;
                case "drain": return await DrainAsync(outbox, options.Number("within-ms", 60_000));
                case "status": Print(Written(await outbox.StatusAsync())); break;
                case "find": Print(Written(await outbox.FindAsync(options.Text("reference")))); break;
                case "retry": await outbox.RetryAsync(options.Has("reference") ? options.Text("reference") : null); break;
                case "discard": await outbox.DiscardAsync(options.Text("reference")); break;
                case "resume": await outbox.ResumeAsync(); break;
                default: throw new ArgumentException($"unknown command {command}");
            }
            return Done;
        }

        private static async Task<int> DrainAsync(Outbox outbox, int withinMs)
        {
            var drained = await outbox.DrainAsync(within: TimeSpan.FromMilliseconds(withinMs));
            Print(new Dictionary<string, object> { ["Signed"] = drained.Signed, ["SetAside"] = drained.SetAside, ["Status"] = Written(drained.Status) });
            return drained.Status.Halted != null ? IsHalted : drained.Status.Queued > 0 ? TooSlow : Done;
        }

        private static object Written(OutboxStatus status) => new Dictionary<string, object>
        {
            ["Queued"] = status.Queued,
            ["Oldest"] = status.Oldest,
            ["LastFailure"] = status.LastFailure,
            ["SetAside"] = status.SetAside.Select(sale => new { sale.Reference, sale.Problem.Status }),
            ["Halted"] = status.Halted == null ? null : new { status.Halted.Since, status.Halted.Problem.Status },
        };

        private static object Written(FoundSale sale) =>
            sale == null ? null : new Dictionary<string, object> { ["Reference"] = sale.Reference, ["State"] = sale.State, ["Attempts"] = sale.Attempts, ["Number"] = sale.Number };

        /// <summary>One line, flushed immediately: the reader may kill this process at the next moment.</summary>
        internal static void Print(object result)
        {
            Console.Out.Write(Json.Write(result) + "\n");
            Console.Out.Flush();
        }
    }

    /// <summary>--name value …</summary>
    internal sealed class Options
    {
        private readonly Dictionary<string, string> values = new Dictionary<string, string>();

        internal Options(string[] words)
        {
            if (words.Length % 2 == 0) throw new ArgumentException("usage: till COMMAND [--name value …]");
            for (var i = 1; i < words.Length; i += 2)
            {
                if (!words[i].StartsWith("--", StringComparison.Ordinal)) throw new ArgumentException($"--name expected, got {words[i]}");
                values[words[i].Substring(2)] = words[i + 1];
            }
        }

        internal bool Has(string name) => values.ContainsKey(name);

        internal string Text(string name, string otherwise = null) => Has(name) ? values[name] : otherwise ?? throw new ArgumentException($"--{name} is missing");

        internal int Number(string name, int? otherwise = null) => int.Parse(Text(name, otherwise?.ToString()));
    }
}
