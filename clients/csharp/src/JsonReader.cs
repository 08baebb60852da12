using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Tillseal
{
    /// <summary>Reads one JSON text (RFC 8259) from its beginning to its end.</summary>
    internal sealed class JsonReader
    {
        private const int MaximumDepth = 64;
        /// <summary>Of a decimal; more would be rounded without a word.</summary>
        private const int MaximumDigits = 28;
        private readonly string text;
        private int place;
        private int depth;

        internal JsonReader(string text) => this.text = text;

        internal object ReadAll()
        {
            var value = ReadValue();
            SkipSpace();
            if (place < text.Length) throw Wrong("the end");
            return value;
        }

        private object ReadValue()
        {
            SkipSpace();
            switch (Peek())
            {
                case '{': return Nested(ReadObject);
                case '[': return Nested(ReadArray);
                case '"': return ReadText();
                case 't': return ReadWord("true", true);
                case 'f': return ReadWord("false", false);
                case 'n': return ReadWord("null", null);
                default: return ReadNumber();
            }
        }

        private object Nested(Func<object> read)
        {
            if (++depth > MaximumDepth) throw Wrong($"at most {MaximumDepth} levels");
            place++;
            var value = read();
            depth--;
            return value;
        }

        private object ReadObject()
        {
            var members = new Dictionary<string, object>(StringComparer.Ordinal);
            if (TryTake('}')) return members;
            do
            {
                SkipSpace();
                var name = ReadText();
                if (!TryTake(':')) throw Wrong("':'");
                if (members.ContainsKey(name)) throw Wrong($"another name than \"{name}\", which is already there");
                members.Add(name, ReadValue());
            } while (TryTake(','));
            if (!TryTake('}')) throw Wrong("',' or '}'");
            return members;
        }

        private object ReadArray()
        {
            var items = new List<object>();
            if (TryTake(']')) return items;
            do items.Add(ReadValue()); while (TryTake(','));
            if (!TryTake(']')) throw Wrong("',' or ']'");
            return items;
        }

        private object ReadWord(string word, object value)
        {
            if (string.CompareOrdinal(text, place, word, 0, word.Length) != 0) throw Wrong("a value");
            place += word.Length;
            return value;
        }

        private object ReadNumber()
        {
            var start = place;
            if (Peek() == '-') place++;
            var digits = SkipDigits();
            if (digits > 1 && text[place - digits] == '0') throw Wrong("a number without a leading zero");
            if (Peek() == '.') { place++; digits += SkipDigits(); }
            if (Peek() == 'e' || Peek() == 'E')
            {
                place++;
                if (Peek() == '+' || Peek() == '-') place++;
                var length = SkipDigits();
                digits += length > 2 ? MaximumDigits : int.Parse(text.Substring(place - length, length), CultureInfo.InvariantCulture);
            }
            var number = text.Substring(start, place - start);
            if (digits <= MaximumDigits && decimal.TryParse(number, NumberStyles.Float, CultureInfo.InvariantCulture, out var value)) return value;
            throw new FormatException($"the number {number} does not fit into a decimal");
        }

        private int SkipDigits()
        {
            var start = place;
            while (Peek() >= '0' && Peek() <= '9') place++;
            if (place == start) throw Wrong("a value");
            return place - start;
        }

        private string ReadText()
        {
            if (Peek() != '"') throw Wrong("'\"'");
            place++;
            var words = new StringBuilder();
            while (Peek() != '"')
            {
                if (place >= text.Length || Peek() < ' ') throw Wrong("the end of the text");
                words.Append(Peek() == '\\' ? ReadEscape() : text[place++]);
            }
            place++;
            return words.ToString();
        }

        private char ReadEscape()
        {
            place++;
            var letter = Peek();
            place++;
            var known = "\"\\/bfnrt".IndexOf(letter);
            if (known >= 0) return "\"\\/\b\f\n\r\t"[known];
            if (letter == 'u' && place + 4 <= text.Length
                && ushort.TryParse(text.Substring(place, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var code))
            {
                place += 4;
                return (char)code;
            }
            throw Wrong("an escaped letter");
        }

        private bool TryTake(char letter)
        {
            SkipSpace();
            if (Peek() != letter) return false;
            place++;
            return true;
        }

        private void SkipSpace()
        {
            while (place < text.Length && " \t\r\n".IndexOf(text[place]) >= 0) place++;
        }

        /// <summary>The next letter; at the end one that nothing expects.</summary>
        private char Peek() => place < text.Length ? text[place] : '\0';

        private FormatException Wrong(string expected) => new FormatException($"not JSON: {expected} was expected at character {place + 1}");
    }
}
