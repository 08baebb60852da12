using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Tillseal
{
    /// <summary>One line of a journal: <c>CHECKSUM SPACE JSON LINEFEED</c>.</summary>
    internal static class JournalLine
    {
        private static readonly uint[] Table = MakeTable();
        private static readonly UTF8Encoding Utf8 = new UTF8Encoding(false, true);

        internal static byte[] Write(IDictionary<string, object> record)
        {
            var json = Utf8.GetBytes(Json.Write(record));
            return Utf8.GetBytes($"{Checksum(json, 0, json.Length):x8} {Utf8.GetString(json)}\n");
        }

        /// <summary>Null when the line, without its line feed, is not as it was written.</summary>
        internal static Dictionary<string, object> Read(byte[] bytes, int start, int length)
        {
            if (length < 11 || bytes[start + 8] != ' ') return null;
            if (Encoding.ASCII.GetString(bytes, start, 8) != Checksum(bytes, start + 9, length - 9).ToString("x8")) return null;
            try { return Json.Read(Utf8.GetString(bytes, start + 9, length - 9)) as Dictionary<string, object>; }
            catch (Exception error) when (error is FormatException || error is ArgumentException) { return null; }
        }

        internal static string Moment(DateTimeOffset at) => at.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss'Z'", CultureInfo.InvariantCulture);

        /// <summary>CRC-32 as in zlib.</summary>
        private static uint Checksum(byte[] bytes, int start, int length)
        {
            var sum = uint.MaxValue;
            for (var i = start; i < start + length; i++) sum = Table[(sum ^ bytes[i]) & 0xff] ^ (sum >> 8);
            return ~sum;
        }

        private static uint[] MakeTable()
        {
            var table = new uint[256];
            for (uint i = 0; i < 256; i++)
            {
                var entry = i;
                for (var bit = 0; bit < 8; bit++) entry = (entry & 1) != 0 ? 0xedb88320 ^ (entry >> 1) : entry >> 1;
                table[i] = entry;
            }
            return table;
        }
    }
}
