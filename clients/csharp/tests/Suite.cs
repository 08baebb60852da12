using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Mono.Data.Sqlite;

namespace Tillseal.Tests
{
    /// <summary>Runs every public method of the classes named *Tests; a method's name states the guarantee that would break.</summary>
    internal static class Suite
    {
        private static void Main(string[] words) => Environment.Exit(Run(words));

        private static int Run(string[] words)
        {
            if (words.Length > 1 && words[0] == "child") return Child.Run(words.Skip(1).ToArray());
            var failures = 0;
            foreach (var type in typeof(Suite).Assembly.GetTypes().Where(type => type.Name.EndsWith("Tests", StringComparison.Ordinal)).OrderBy(type => type.Name))
            foreach (var test in type.GetMethods().Where(method => method.DeclaringType == type && (words.Length == 0 || method.Name.Contains(words[0]))))
            {
                var name = $"{type.Name}: {test.Name.Replace('_', ' ')}";
                var start = DateTime.UtcNow;
                try
                {
                    using (var folder = new TemporaryFolder())
                    {
                        var parameters = test.GetParameters().Length == 0 ? null : new object[] { folder };
                        if (test.Invoke(Activator.CreateInstance(type), parameters) is Task task && !task.Wait(TimeSpan.FromSeconds(120))) throw new TimeoutException("took more than 120 s");
                    }
                    Console.WriteLine($"ok {name} ({(DateTime.UtcNow - start).TotalMilliseconds:0} ms)");
                }
                catch (Exception error)
                {
                    failures++;
                    Console.WriteLine($"not ok {name}: {(error.InnerException ?? error).ToString().Replace("\n", "\n    ")}");
                }
            }
            Console.WriteLine("end");
            return failures == 0 ? 0 : 1;
        }
    }

    internal static class Check
    {
        internal static void Same<T>(T expected, T got, string what = "")
        {
            if (!EqualityComparer<T>.Default.Equals(expected, got)) throw new Exception($"{what} expected: {expected}\n got: {got}");
        }

        internal static void SameList(string expected, IEnumerable<string> got) => Same(expected, string.Join(" ", got));

        internal static void True(bool statement, string what)
        {
            if (!statement) throw new Exception(what);
        }

        internal static T Throws<T>(Action act) where T : Exception
        {
            try { act(); }
            catch (T error) { return error; }
            throw new Exception($"no {typeof(T).Name} was thrown");
        }

        internal static async Task<T> ThrowsAsync<T>(Func<Task> act, string words = "") where T : Exception
        {
            try { await act(); }
            catch (T error)
            {
                True(error.Message.Contains(words), $"expected the words: {words}\n got: {error.Message}");
                return error;
            }
            throw new Exception($"no {typeof(T).Name} was thrown: {words}");
        }

        internal static async Task Soon(Func<bool> isSo, string what)
        {
            for (var tries = 0; !isSo(); tries++)
            {
                True(tries < 6000, $"did not happen within a minute: {what}");
                await Task.Delay(10);
            }
        }
    }

    public sealed class TemporaryFolder : IDisposable
    {
        private readonly string path = Directory.CreateDirectory(Path.Combine(Path.GetTempPath(), $"tillseal-{Guid.NewGuid()}")).FullName;

        internal string Outbox => this["till.outbox"];

        internal string this[string file] => Path.Combine(path, file);

        internal static SqliteConnection Connect(string path) => new SqliteConnection($"Data Source={path};Default Timeout=1");

        /// <summary>Runs SQLite on the outbox's file.</summary>
        internal string Sql(string sql)
        {
            using (var connection = Connect(Outbox))
            {
                connection.Open();
                using (var command = new SqliteCommand(sql, connection)) return Convert.ToString(command.ExecuteScalar());
            }
        }

        public void Dispose() => Directory.Delete(path, true);
    }

    /// <summary>Time can pass faster, and the time of day can be set.</summary>
    internal sealed class TestClock : Clock
    {
        internal TimeSpan Ahead, WronglySet;
        internal int Speed = 1;

        internal override DateTimeOffset Now => base.Now + Ahead + WronglySet;
        internal override TimeSpan Elapsed => TimeSpan.FromTicks(base.Elapsed.Ticks * Speed) + Ahead;
    }
}
