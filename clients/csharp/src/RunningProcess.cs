using System;
using System.Diagnostics;
using System.IO;

namespace Tillseal
{
    /// <summary>The process that holds a lock, as its lock file names it.</summary>
    internal sealed class RunningProcess
    {
        internal static readonly int OwnId = Process.GetCurrentProcess().Id;
        internal static readonly string OwnStart = StartOf(OwnId) ?? "";
        internal static readonly string InitStart = StartOf(1) ?? "";

        public int Pid { get; set; }
        /// <summary>When it started, in the units of the system: its number may be another process's by now.</summary>
        public string Start { get; set; }
        /// <summary>The start of process 1 as it sees it. Another one is another container, whose processes cannot be seen from here.</summary>
        public string Init { get; set; }

        /// <summary>As far as can be known; a lock that is not touched for a minute is stale in any case.</summary>
        internal bool IsAlive
        {
            get
            {
                if (OwnStart == "") return IsNumberInUse();
                return InitStart == "" || Init != InitStart || StartOf(Pid) == Start;
            }
        }

        private bool IsNumberInUse()
        {
            try
            {
                using (Process.GetProcessById(Pid)) return true;
            }
            catch (ArgumentException) { return false; }
        }

        /// <summary>Null when there is no such process, or it has ended and its parent has not noticed yet.</summary>
        private static string StartOf(int id)
        {
            try
            {
                var stat = File.ReadAllText($"/proc/{id}/stat");
                // The second field is the program's name, which may contain spaces and brackets; the third is the state, the 22nd the start.
                var fields = stat.Substring(stat.LastIndexOf(')') + 2).Split(' ');
                return fields[0] == "Z" || fields[0] == "X" ? null : fields[22 - 3];
            }
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException) { return null; }
        }
    }
}
