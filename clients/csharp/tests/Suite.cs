using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;

namespace Tillseal.Tests
{
    /// <summary>Runs every public method of the classes named *Tests; a method's name states the guarantee that would break.</summary>
    internal static class Suite
    {
        private static int Main(string[] words)
        {
            if (words.Length > 1 && words[0] == "child") return Child.Run(words.Skip(1).ToArray());
            var failures = 0;
            foreach (var type in typeof(Suite).Assembly.GetTypes().Where(type => type.Name.EndsWith("Tests", StringComparison.Ordinal)).OrderBy(type => type.Name))
            foreach (var test in type.GetMethods().Where(method => method.DeclaringType == type && (words.Length == 0 || method.Name.Contains(words[0]))))
            {
                var name = $"{type.Name}: {test.Name.Replace('_', ' ')}";
                var start = Monotonic.Now;
                try
                {
                    using (var folder = new TemporaryFolder())
                    {
                        var parameters = test.GetParameters().Length == 0 ? null : new object[] { folder };
                        if (test.Invoke(Activator.CreateInstance(type), parameters) is Task task && !task.Wait(TimeSpan.FromSeconds(120))) throw new TimeoutException("took more than 120 s");
                    }
                    Console.WriteLine($"ok {name} ({(Monotonic.Now - start).TotalMilliseconds:0} ms)");
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

        internal static void SameList(IEnumerable<string> expected, IEnumerable<string> got) => Same(string.Join(" ", expected), string.Join(" ", got));

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

        internal static async Task<T> ThrowsAsync<T>(Func<Task> act) where T : Exception
        {
            try { await act(); }
            catch (T error) { return error; }
            throw new Exception($"no {typeof(T).Name} was thrown");
        }
    }

    public sealed class TemporaryFolder : IDisposable
    {
        private readonly string path = Directory.CreateDirectory(Path.Combine(Path.GetTempPath(), "tillseal-" + Disk.RandomDigits())).FullName;

        internal string Journal => this["till.journal"];

        internal string this[string file] => Path.Combine(path, file);

        public void Dispose() => Directory.Delete(path, true);
    }
}
