using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Tillseal
{
    /// <summary>What .NET Standard lacks of a disk: private files, replacing one in a single step, flushing a folder.</summary>
    internal static class Disk
    {
        internal const int OwnerOnly = 0x180 /* 0600 */, ReadByAll = 0x1a4 /* 0644 */;
        private const int CurrentFolder = -100, BasicFields = 0x7ff;
        private static readonly bool IsUnix = Path.DirectorySeparatorChar == '/';

        /// <summary>Shared with everybody, also for deleting: on Windows nobody could replace the journal otherwise.</summary>
        internal static FileStream Open(string path, FileMode mode, FileAccess access) =>
            // A buffer of one byte is none: a line is written by one call.
            new FileStream(path, mode, access, FileShare.ReadWrite | FileShare.Delete, 1);

        /// <summary>Writes a whole file that only its owner can read, flushed, in the place of another.</summary>
        internal static void Replace(string path, Action<Stream> write, Func<bool> isStillAllowed)
        {
            var aside = path + ".new";
            try
            {
                using (var file = Open(aside, FileMode.Create, FileAccess.Write))
                {
                    SetMode(aside, OwnerOnly);
                    KeepOwner(path, aside);
                    write(file);
                    file.Flush(true);
                }
                if (!isStillAllowed()) { File.Delete(aside); return; }
                if (IsUnix) { if (rename(aside, path) != 0) throw Failed("rename", aside); }
                else if (File.Exists(path)) File.Replace(aside, path, null);
                else File.Move(aside, path);
                FlushFolder(path);
            }
            catch
            {
                File.Delete(aside);
                throw;
            }
        }

        /// <summary>A file's name is in its folder, which is flushed apart from it. Windows does that on its own.</summary>
        private static void FlushFolder(string path)
        {
            if (!IsUnix) return;
            var folder = Path.GetDirectoryName(Path.GetFullPath(path));
            var handle = open(folder, 0);
            if (handle < 0) throw Failed("open", folder);
            var result = fsync(handle);
            close(handle);
            if (result != 0) throw Failed("fsync", folder);
        }

        /// <summary>Not by looking: what was there a moment ago may be gone. EEXIST, or what Windows and mono call it.</summary>
        internal static bool IsThereAlready(IOException error)
        {
            var code = error.HResult & 0xFFFF;
            return code == 17 || code == 80 || code == 183;
        }

        internal static void SetMode(string path, int mode)
        {
            if (IsUnix && chmod(path, mode) != 0) throw Failed("chmod", path);
        }

        /// <summary>What root replaces still belongs to the till: somebody may have drained its outbox as root.</summary>
        private static void KeepOwner(string of, string path)
        {
            if (!IsUnix || !File.Exists(of) || geteuid() != 0) return;
            // Unlike that of stat, the layout of statx is the same on every Linux; other systems do without.
            var found = new byte[256];
            try
            {
                if (statx(CurrentFolder, of, 0, BasicFields, found) == 0 && chown(path, BitConverter.ToUInt32(found, 20), BitConverter.ToUInt32(found, 24)) != 0) throw Failed("chown", path);
            }
            catch (EntryPointNotFoundException) { }
        }

        internal static string RandomDigits()
        {
            var bytes = new byte[8];
            using (var random = RandomNumberGenerator.Create()) random.GetBytes(bytes);
            return BitConverter.ToString(bytes).Replace("-", "").ToLowerInvariant();
        }

        private static IOException Failed(string what, string path) => new IOException($"{what} of {path} failed with error {Marshal.GetLastWin32Error()}");

        [DllImport("libc", SetLastError = true)]
        private static extern int chmod(string path, int mode);

        [DllImport("libc", SetLastError = true)]
        private static extern int chown(string path, uint owner, uint group);

        [DllImport("libc")]
        private static extern int geteuid();

        [DllImport("libc")]
        private static extern int statx(int folder, string path, int flags, int fields, byte[] found);

        [DllImport("libc", SetLastError = true)]
        private static extern int rename(string from, string to);

        [DllImport("libc", SetLastError = true)]
        private static extern int open(string path, int flags);

        [DllImport("libc", SetLastError = true)]
        private static extern int fsync(int handle);

        [DllImport("libc")]
        private static extern int close(int handle);
    }
}
