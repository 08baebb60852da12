using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Tillseal
{
    /// <summary>
    /// JSON whose numbers are <see cref="decimal"/>, so that no amount ever passes through a binary float: 12.50 stays 12.50.
    /// An object is a <c>Dictionary&lt;string, object&gt;</c>, an array a <c>List&lt;object&gt;</c>.
    /// </summary>
    public static class Json
    {
        /// <summary>The text of a value: null, bool, string, number, enum, date, dictionary, list or an object with public properties.</summary>
        /// <remarks>Properties that are null are left out, unless they are marked with <see cref="WrittenWhenNullAttribute"/>.</remarks>
        public static string Write(object value)
        {
            var text = new StringBuilder();
            Write(text, value);
            return text.ToString();
        }

        /// <summary>The value of a text.</summary>
        /// <exception cref="FormatException">It is not JSON, or a number has more digits than a decimal can hold.</exception>
        public static object Read(string text) => new JsonReader(text).ReadAll();

        /// <summary>The value of a text as an object of that type; members that the type does not have are ignored.</summary>
        public static T Read<T>(string text) => (T)JsonBinder.Bind(Read(text), typeof(T), "");

        private static void Write(StringBuilder text, object value)
        {
            if (value == null) text.Append("null");
            else if (value is bool) text.Append((bool)value ? "true" : "false");
            else if (value is string words) WriteText(text, words);
            else if (value is Enum) WriteText(text, value.ToString());
            else if (value is DateTimeOffset) WriteText(text, Moment((DateTimeOffset)value));
            else if (value is decimal || value is int || value is long) text.Append(((IFormattable)value).ToString(null, CultureInfo.InvariantCulture));
            else if (value is float || value is double) throw new ArgumentException("a float or double is never exact: use decimal");
            else if (value is IDictionary<string, object> members) WriteMembers(text, members);
            else if (value is IEnumerable items) WriteItems(text, items);
            else WriteMembers(text, JsonBinder.Members(value));
        }

        private static string Moment(DateTimeOffset moment)
        {
            var zone = moment.Offset == TimeSpan.Zero ? "'Z'" : "zzz";
            return moment.ToString("yyyy-MM-dd'T'HH:mm:ss" + zone, CultureInfo.InvariantCulture);
        }

        private static void WriteMembers(StringBuilder text, IEnumerable<KeyValuePair<string, object>> members)
        {
            text.Append('{');
            var start = text.Length;
            foreach (var member in members)
            {
                if (text.Length > start) text.Append(',');
                WriteText(text, member.Key);
                text.Append(':');
                Write(text, member.Value);
            }
            text.Append('}');
        }

        private static void WriteItems(StringBuilder text, IEnumerable items)
        {
            text.Append('[');
            var start = text.Length;
            foreach (var item in items)
            {
                if (text.Length > start) text.Append(',');
                Write(text, item);
            }
            text.Append(']');
        }

        private static void WriteText(StringBuilder text, string words)
        {
            text.Append('"');
            for (var i = 0; i < words.Length; i++)
            {
                var letter = words[i];
                if (letter == '"' || letter == '\\') text.Append('\\').Append(letter);
                else if (char.IsHighSurrogate(letter) && i + 1 < words.Length && char.IsLowSurrogate(words[i + 1])) text.Append(letter).Append(words[++i]);
                // Half a pair has no UTF-8: written as it is, it would silently become another letter.
                else if (letter < ' ' || char.IsSurrogate(letter)) text.Append("\\u").Append(((int)letter).ToString("x4"));
                else text.Append(letter);
            }
            text.Append('"');
        }
    }
}
