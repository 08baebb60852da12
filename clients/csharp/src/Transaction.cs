using System;
using System.Collections.Generic;
using System.Data.Common;
using System.Linq;

namespace Tillseal
{
    /// <summary>A connection for one transaction. What was not committed is rolled back when it is closed.</summary>
    internal sealed class Transaction : IDisposable
    {
        private static readonly string[,] Pragmas = { { "journal_mode", "TRUNCATE", "truncate" }, { "synchronous", "FULL", "2" }, { "secure_delete", "ON", "1" }, { "busy_timeout", "200", "200" } };
        private readonly DbConnection connection;

        internal Transaction(DbConnection connection) => this.connection = connection;

        /// <summary>
        /// For a fifth of a second SQLite itself checks every few milliseconds whether a lock is gone. The providers wait up to 150 ms, and
        /// would get no turn beside programs that check more often.
        /// </summary>
        internal void SetPragmas()
        {
            for (var i = 0; i < Pragmas.GetLength(0); i++)
            {
                Run($"pragma {Pragmas[i, 0]}={Pragmas[i, 1]}");
                var got = Convert.ToString(Value($"pragma {Pragmas[i, 0]}"));
                if (got != Pragmas[i, 2]) throw new InvalidOperationException($"{Pragmas[i, 0]} is {got} and not {Pragmas[i, 1]}");
            }
        }

        internal void Commit()
        {
            try { Run("commit"); }
            catch (DbException error) { throw new CommitFailedException(error); }
        }

        /// <returns>How many rows were changed.</returns>
        internal int Run(string sql, params object[] values)
        {
            using (var command = Command(sql, values)) return command.ExecuteNonQuery();
        }

        internal object Value(string sql, params object[] values)
        {
            using (var command = Command(sql, values)) return command.ExecuteScalar();
        }

        internal List<Row> Rows(string sql, params object[] values)
        {
            using (var command = Command(sql, values))
            using (var reader = command.ExecuteReader())
            {
                var rows = new List<Row>();
                while (reader.Read()) rows.Add(new Row(reader));
                return rows;
            }
        }

        /// <summary>Null when there is none.</summary>
        internal Row Row(string sql, params object[] values) => Rows(sql, values).FirstOrDefault();

        public void Dispose() => connection.Dispose();

        /// <param name="values">Of @1, @2 …</param>
        private DbCommand Command(string sql, object[] values)
        {
            var command = connection.CreateCommand();
            command.CommandText = sql;
            // In seconds. 0 would mean for ever with one of the providers.
            command.CommandTimeout = 1;
            for (var i = 0; i < values.Length; i++)
            {
                var parameter = command.CreateParameter();
                parameter.ParameterName = $"@{i + 1}";
                parameter.Value = values[i] ?? DBNull.Value;
                command.Parameters.Add(parameter);
            }
            return command;
        }
    }

    /// <summary>A row by the names of its columns.</summary>
    internal sealed class Row
    {
        private readonly Dictionary<string, object> values = new Dictionary<string, object>();

        internal Row(DbDataReader reader)
        {
            for (var i = 0; i < reader.FieldCount; i++) values[reader.GetName(i)] = reader.IsDBNull(i) ? null : reader.GetValue(i);
        }

        internal string Text(string column) => (string)values[column];
        internal long Number(string column) => NumberOrNull(column) ?? 0;
        internal long? NumberOrNull(string column) => values[column] == null ? (long?)null : Convert.ToInt64(values[column]);
        internal DateTimeOffset? Time(string column) => NumberOrNull(column) is long seconds ? DateTimeOffset.FromUnixTimeSeconds(seconds) : (DateTimeOffset?)null;
    }

    internal sealed class CommitFailedException : Exception
    {
        internal CommitFailedException(DbException error) : base(error.Message, error) { }
    }
}
