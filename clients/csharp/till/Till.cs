using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace Tillseal.Till
{
    /// <summary>The scripted till that the conformance suite drives; clients/README.md defines its command line.</summary>
    internal static class Program
    {
        private const int Done = 0, Failed = 1, NotUnderstood = 2, IsHalted = 3, TooSlow = 4;

        private static int Main(string[] words)
        {
            try
            {
                return RunAsync(words).GetAwaiter().GetResult();
            }
            catch (ArgumentException error)
            {
                Console.Error.WriteLine(error.Message);
                return NotUnderstood;
            }
            catch (Exception error)
            {
                Console.Error.WriteLine(error is TillsealException ? error.Message : error.ToString());
                return Failed;
            }
        }

        private static async Task<int> RunAsync(string[] words)
        {
            if (words.Length == 2 && words[0] == "vectors") return Vectors.Run(words[1]) ? Done : Failed;
            var options = new Options(words);
            using (var client = options.Has("url") ? new TillsealClient(options["url"], options["token"]) : null)
                return await RunAsync(words[0], new Outbox(client, options["journal"]), options);
        }

        private static async Task<int> RunAsync(string command, Outbox outbox, Options options)
        {
            switch (command)
            {
                case "sell": return await Selling.RunAsync(outbox, options) ? Done : Failed;
                case "drain": return await DrainAsync(outbox, options.Number("within-ms", 60_000));
                case "status": Print(await outbox.StatusAsync()); break;
                case "retry": await outbox.RetryAsync(options["reference"]); break;
                case "discard": await outbox.DiscardAsync(options["reference"]); break;
                case "resume": await outbox.ResumeAsync(); break;
                case "stress": await Stress.RunAsync(outbox, options); break;
                default: throw new ArgumentException($"unknown command {command}");
            }
            return Done;
        }

        private static async Task<int> DrainAsync(Outbox outbox, int withinMs)
        {
            try
            {
                using (var time = new CancellationTokenSource(withinMs)) await outbox.DrainAsync(time.Token);
            }
            catch (OperationCanceledException) { }
            var status = await outbox.StatusAsync();
            Print(status);
            return status.Halted != null ? IsHalted : status.Open > 0 ? TooSlow : Done;
        }

        /// <summary>One line, flushed at once: the one who reads it may kill this process in the next moment.</summary>
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

        internal string this[string name] => values.TryGetValue(name, out var value) ? value : throw new ArgumentException($"--{name} is missing");

        internal bool Has(string name) => values.ContainsKey(name);

        internal int Number(string name, int? otherwise = null) => otherwise is int number && !Has(name) ? number : int.Parse(this[name]);
    }
}
