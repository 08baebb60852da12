using System;
using System.Data;
using System.Data.Common;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text.RegularExpressions;
using System.Threading;

namespace Tillseal
{
    /// <summary>
    /// One SQLite file, with a connection for each transaction (docs/outbox.md). Nothing else ever opens the file while it may be in use: on
    /// Unix closing any handle of a file drops all locks that this process has on it.
    /// </summary>
    internal sealed class OutboxFile
    {
        private const string Tables = @"CREATE TABLE meta (
  version integer not null,
  id text not null,
  halted_at integer,
  halted_status integer,
  halted_answer text,
  tried_at integer,
  checked_at integer not null
);
CREATE TABLE sales (
  place integer primary key autoincrement,
  reference text not null unique,
  device integer not null,
  sold_at integer not null,
  state text not null,
  ended_at integer,
  body text,
  body_sha256 text not null,
  attempts integer not null,
  answered integer not null,
  leased_until integer not null,
  status integer,
  answer text,
  number integer,
  clock_ahead integer,
  failing_since integer,
  failed_at integer,
  failure text
);
CREATE INDEX sales_queued on sales (device, place) where state = 'Queued';
CREATE INDEX sales_set_aside on sales (place) where state = 'SetAside';
CREATE INDEX sales_filled on sales (ended_at) where state in ('Signed', 'Discarded') and (body is not null or answer is not null);
CREATE INDEX sales_emptied on sales (ended_at) where body is null and answer is null;
";
        private const int OwnerOnly = 0x180; // 0600
        private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);
        private static readonly object Creation = new object();
        private readonly Func<string, DbConnection> connect;
        private readonly Clock clock;
        private readonly string id;

        internal OutboxFile(string path, Func<string, DbConnection> connect, Clock clock)
        {
            Path = path;
            this.connect = connect;
            this.clock = clock;
            id = Patiently(OpenOnce);
            CheckDaily();
        }

        internal string Path { get; }

        /// <summary>The result of the work, once it is on the disk. While the file is locked, the work is started again from the beginning.</summary>
        internal T Write<T>(Func<Transaction, T> work, bool isPatient = true) => Patiently(() => Once("begin immediate", work), isPatient);

        internal T Read<T>(Func<Transaction, T> work) => Patiently(() => Once("begin", work));

        private OutboxException Failure(string what, Exception inner = null) => new OutboxException($"{Path} {what}", inner);

        private T Once<T>(string begin, Func<Transaction, T> work)
        {
            if (!File.Exists(Path)) throw Gone("is gone");
            using (var transaction = Connect())
            {
                transaction.SetPragmas();
                transaction.Run(begin);
                if (!id.Equals(transaction.Value("select id from meta"))) throw Gone("was replaced by another file");
                var result = work(transaction);
                transaction.Commit();
                return result;
            }
        }

        private string OpenOnce()
        {
            CreateIfMissing();
            using (var transaction = Connect())
            {
                // Before anything is changed in the file: it may be another program's.
                HasTables(transaction);
                transaction.SetPragmas();
                transaction.Run("begin immediate");
                if (!HasTables(transaction))
                {
                    transaction.Run(Tables);
                    transaction.Run("insert into meta (version, id, checked_at) values (1, @1, strftime('%s', 'now'))", RandomDigits());
                }
                var found = (string)transaction.Value("select id from meta");
                transaction.Commit();
                return found;
            }
        }

        /// <summary>Reads the whole file, so not at each opening. If it cannot be noted, on a full disk for example, the next one does it again.</summary>
        private void CheckDaily()
        {
            if (Read(transaction => transaction.Value("select 1 from meta where strftime('%s', 'now') - checked_at between 0 and 86400")) != null) return;
            var check = Read(transaction => (string)transaction.Value("pragma quick_check"));
            if (check != "ok") throw Damaged(check, null);
            try { Write(transaction => transaction.Run("update meta set checked_at = strftime('%s', 'now')"), isPatient: false); }
            catch (OutboxException) { }
        }

        private bool HasTables(Transaction transaction)
        {
            if (0L.Equals(transaction.Value("select count(*) from sqlite_master"))) return false;
            transaction.Value("select reference from sales limit 1");
            var version = transaction.Value("select version from meta");
            return 1L.Equals(version) ? true : throw Failure($"is an outbox of version {version}, which this program does not know. It was not touched");
        }

        private Transaction Connect()
        {
            var connection = connect(Path);
            try
            {
                var settings = new DbConnectionStringBuilder { ConnectionString = connection.ConnectionString };
                var isPooled = settings.TryGetValue("Pooling", out var pooling) ? !"False".Equals(pooling.ToString(), StringComparison.OrdinalIgnoreCase) : connection.GetType().Namespace == "Microsoft.Data.Sqlite";
                if (isPooled) throw Failure("needs connections without a pool, which would go on writing into a deleted file: add Pooling=False to the connection string");
                if (connection.State == ConnectionState.Closed) connection.Open();
                return new Transaction(connection);
            }
            catch
            {
                connection.Dispose();
                throw;
            }
        }

        private void CreateIfMissing()
        {
            // Nothing in this process may open it with SQLite before this handle is closed.
            lock (Creation)
            {
                if (File.Exists(Path)) return;
                try { new FileStream(Path, FileMode.CreateNew, FileAccess.Write, FileShare.ReadWrite).Dispose(); }
                catch (IOException) when (File.Exists(Path)) { return; }
                if (System.IO.Path.DirectorySeparatorChar == '/' && chmod(Path, OwnerOnly) != 0) throw new IOException($"chmod failed with error {Marshal.GetLastWin32Error()}");
            }
        }

        private T Patiently<T>(Func<T> once, bool isPatient = true)
        {
            var end = clock.Elapsed + (isPatient ? Patience : TimeSpan.Zero);
            while (true)
            {
                try { return once(); }
                catch (Exception error) when (!(error is TillsealException))
                {
                    if (!Says(error, "is locked") || clock.Elapsed >= end) throw Explained(error);
                }
                Thread.Sleep(5 + Waits.Random(21));
            }
        }

        private OutboxException Explained(Exception error)
        {
            if (Says(error, "is locked")) return Failure($"has been locked by another program for {Patience.TotalSeconds} seconds", error);
            if (Says(error, "not a database")) return Damaged("it is no database", error);
            if (Says(error, "malformed")) return Damaged(OneLine(error), error);
            if (Says(error, "no such table") || Says(error, "no such column")) return id == null ? Failure("is a database of something else. It was not touched", error) : Gone("was emptied or replaced", error);
            if (error is TypeLoadException || error is TypeInitializationException) return Failure($"needs SQLite: install the package Microsoft.Data.Sqlite, or what the provider in use asks for ({OneLine(error)})", error);
            return new OutboxException($"{Path} cannot be read or written: {OneLine(error)}", error) { IsAtCommit = error is CommitFailedException };
        }

        /// <summary>By SQLite's own message, which every provider passes on: each has the code in a different place.</summary>
        private static bool Says(Exception error, string words) => error.Message.Contains(words);

        private static string OneLine(Exception error) => Regex.Replace(error.Message, @"\s*[\r\n]+\s*", ": ");

        private OutboxException Damaged(string what, Exception inner) =>
            new OutboxException($"{Path} is damaged ({what}) and was left alone. Stop the tills, copy it together with {Path}-journal, and save what is readable with: sqlite3 {Path} .recover | sqlite3 NEW", inner) { IsGone = true };

        private OutboxException Gone(string what, Exception inner = null) =>
            new OutboxException($"{Path} {what} since the outbox was opened: bring it back, or open the outbox again", inner) { IsGone = true };

        private static string RandomDigits()
        {
            var bytes = new byte[8];
            using (var random = RandomNumberGenerator.Create()) random.GetBytes(bytes);
            return string.Concat(bytes.Select(each => each.ToString("x2")));
        }

        [DllImport("libc", SetLastError = true)]
        private static extern int chmod(string path, int mode);
    }
}
