using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

namespace Tillseal
{
    /// <summary>
    /// JSON whose numbers are <see cref="decimal"/>, so that no amount ever passes through a binary float: 12.50 stays 12.50.
    /// An object is a <c>Dictionary&lt;string, object&gt;</c>, an array a <c>List&lt;object&gt;</c>.
    /// </summary>
    public static class Json
    {
        internal const int MaximumDepth = 64;

        /// <summary>
        /// The text of a value: null, bool, string, decimal, integer, enum, DateTimeOffset, dictionary, list, or an object of yours with public properties.
        /// </summary>
        /// <remarks>Properties that are null are left out, unless they are marked with <see cref="WrittenWhenNullAttribute"/>.</remarks>
        /// <exception cref="ArgumentException">It is, or contains, anything else.</exception>
        public static string Write(object value)
        {
            var text = new StringBuilder();
            Write(text, value, 0);
            return text.ToString();
        }

        /// <summary>The value of a text.</summary>
        /// <exception cref="FormatException">It is not JSON, or a number has more digits than a decimal can hold.</exception>
        public static object Read(string text) => new JsonReader(text).ReadAll();

        /// <summary>The value of a text as an object of that type; members that the type does not have are ignored.</summary>
        public static T Read<T>(string text) => (T)JsonBinder.Bind(Read(text), typeof(T), "");

        /// <summary>Null when it is not an object, or not JSON at all.</summary>
        internal static Dictionary<string, object> TryReadObject(string text)
        {
            try { return Read(text) as Dictionary<string, object>; }
            catch (FormatException) { return null; }
        }

        /// <summary>A value without quotes, for an address.</summary>
        internal static string Word(object value) => value as string ?? Write(value).Trim('"');

        private static void Write(StringBuilder text, object value, int depth)
        {
            if (depth > MaximumDepth) throw new ArgumentException($"JSON cannot be written more than {MaximumDepth} levels deep: {value.GetType()} contains itself");
            if (value == null) text.Append("null");
            else if (value is bool) text.Append((bool)value ? "true" : "false");
            else if (value is string words) WriteText(text, words);
            else if (value is Enum) WriteText(text, value.ToString());
            else if (value is DateTimeOffset) WriteText(text, Moment((DateTimeOffset)value));
            else if (value is decimal || JsonBinder.IsInteger(value.GetType())) text.Append(((IFormattable)value).ToString(null, CultureInfo.InvariantCulture));
            else if (value is IEnumerable<KeyValuePair<string, object>> members) WriteMembers(text, members, depth);
            else if (value is IDictionary dictionary) WriteMembers(text, dictionary.Keys.Cast<object>().Select(key => new KeyValuePair<string, object>(Name(key), dictionary[key])), depth);
            else if (value is IEnumerable items) WriteItems(text, items, depth);
            else WriteMembers(text, JsonBinder.Members(value), depth);
        }

        private static string Name(object key) => key as string ?? throw new ArgumentException($"JSON has no names that are a {key.GetType()}: use string");

        private static string Moment(DateTimeOffset moment)
        {
            var zone = moment.Offset == TimeSpan.Zero ? "'Z'" : "zzz";
            return moment.ToString("yyyy-MM-dd'T'HH:mm:ss" + zone, CultureInfo.InvariantCulture);
        }

        private static void WriteMembers(StringBuilder text, IEnumerable<KeyValuePair<string, object>> members, int depth)
        {
            text.Append('{');
            var start = text.Length;
            foreach (var member in members)
            {
                if (text.Length > start) text.Append(',');
                WriteText(text, member.Key);
                text.Append(':');
                Write(text, member.Value, depth + 1);
            }
            text.Append('}');
        }

        private static void WriteItems(StringBuilder text, IEnumerable items, int depth)
        {
            text.Append('[');
            var start = text.Length;
            foreach (var item in items)
            {
                if (text.Length > start) text.Append(',');
                Write(text, item, depth + 1);
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
                // Half a surrogate pair has no UTF-8: written unchanged, it would silently become another character.
                else if (letter < ' ' || char.IsSurrogate(letter)) text.Append("\\u").Append(((int)letter).ToString("x4"));
                else text.Append(letter);
            }
            text.Append('"');
        }
    }
}
