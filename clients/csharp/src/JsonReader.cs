using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Tillseal
{
    /// <summary>Reads one JSON text (RFC 8259) from its beginning to its end.</summary>
    internal sealed class JsonReader
    {
        /// <summary>Of a decimal; more would be rounded silently.</summary>
        private const int MaximumDigits = 28;
        private static readonly Regex Space = new Regex(@"\G[ \t\r\n]*"), Word = new Regex(@"\G(true|false|null)");
        private static readonly Regex Number = new Regex(@"\G-?(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE][+-]?([0-9]+))?");
        private static readonly Regex Text = new Regex(@"\G""((?>[^""\\\x00-\x1f]+|\\[""\\/bfnrt]|\\u[0-9a-fA-F]{4})*)""");
        private static readonly Regex Escape = new Regex(@"\\(?:u(....)|(.))");
        private readonly string text;
        private int place;
        private int depth;

        internal JsonReader(string text) => this.text = text;

        internal object ReadAll()
        {
            var value = ReadValue();
            if (place < text.Length) throw Wrong("the end");
            return value;
        }

        private object ReadValue()
        {
            Take(Space);
            object value;
            if (TryTake('{')) value = ReadObject();
            else if (TryTake('[')) value = ReadArray();
            else if (Text.IsMatch(text, place)) value = ReadText();
            else if (Take(Word) is Match word) value = word.Value == "null" ? (object)null : word.Value == "true";
            else value = ReadNumber();
            Take(Space);
            return value;
        }

        private object ReadObject()
        {
            var members = new Dictionary<string, object>(StringComparer.Ordinal);
            Enter();
            if (!TryTake('}'))
            {
                do
                {
                    Take(Space);
                    var name = ReadText();
                    Take(Space);
                    if (!TryTake(':')) throw Wrong("':'");
                    if (members.ContainsKey(name)) throw Wrong($"another name than \"{name}\", which is already there");
                    members.Add(name, ReadValue());
                } while (TryTake(','));
                if (!TryTake('}')) throw Wrong("',' or '}'");
            }
            depth--;
            return members;
        }

        private object ReadArray()
        {
            var items = new List<object>();
            Enter();
            if (!TryTake(']'))
            {
                do items.Add(ReadValue()); while (TryTake(','));
                if (!TryTake(']')) throw Wrong("',' or ']'");
            }
            depth--;
            return items;
        }

        private void Enter()
        {
            if (++depth > Json.MaximumDepth) throw Wrong($"at most {Json.MaximumDepth} levels");
            Take(Space);
        }

        private object ReadNumber()
        {
            var number = Take(Number) ?? throw Wrong("a value");
            var exponent = number.Groups[3].Value;
            var digits = number.Groups[1].Length + number.Groups[2].Length + (exponent == "" ? 0 : exponent.Length > 2 ? MaximumDigits : int.Parse(exponent, CultureInfo.InvariantCulture));
            if (digits <= MaximumDigits && decimal.TryParse(number.Value, NumberStyles.Float, CultureInfo.InvariantCulture, out var value)) return value;
            throw new FormatException($"the number {number.Value} does not fit into a decimal");
        }

        private string ReadText() => Escape.Replace((Take(Text) ?? throw Wrong("a text")).Groups[1].Value, escape =>
        {
            if (escape.Groups[1].Success) return ((char)Convert.ToUInt16(escape.Groups[1].Value, 16)).ToString();
            var known = "bfnrt".IndexOf(escape.Groups[2].Value, StringComparison.Ordinal);
            return known < 0 ? escape.Groups[2].Value : "\b\f\n\r\t"[known].ToString();
        });

        /// <summary>Null when it is something else.</summary>
        private Match Take(Regex what)
        {
            var found = what.Match(text, place);
            if (!found.Success) return null;
            place += found.Length;
            return found;
        }

        private bool TryTake(char letter)
        {
            if (place >= text.Length || text[place] != letter) return false;
            place++;
            return true;
        }

        private FormatException Wrong(string expected) => new FormatException($"not JSON: {expected} was expected at character {place + 1}");
    }
}
