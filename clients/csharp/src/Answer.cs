using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;

namespace Tillseal
{
    /// <summary>What a till does with a sale after an answer.</summary>
    internal enum Verdict { Signed, Again, SetAside, Stop }

    /// <summary>The answer, unchanged.</summary>
    internal sealed class Answer
    {
        private readonly IReadOnlyDictionary<string, string> headers;
        private readonly Dictionary<string, object> members;

        /// <param name="headers">By names that ignore case.</param>
        internal Answer(int status, string text, IReadOnlyDictionary<string, string> headers)
        {
            Status = status;
            Text = text;
            this.headers = headers;
            members = Json.TryReadObject(text);
        }

        internal int Status { get; }
        internal string Text { get; }
        internal bool IsReplay => Header("Idempotent-Replay") == "true";
        internal long? Number => Member("GlobalCounter") is decimal number && number == decimal.Truncate(number) && Math.Abs(number) <= long.MaxValue ? (long?)number : null;
        internal TimeSpan DateAdvanced =>
            int.TryParse(Header("Date-Advanced"), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var seconds) ? TimeSpan.FromSeconds(seconds) : TimeSpan.Zero;

        internal TimeSpan? RetryAfter
        {
            get
            {
                var given = Header("Retry-After");
                if (given == null || !Regex.IsMatch(given, "^[0-9]+$")) return null;
                return TimeSpan.FromSeconds(int.TryParse(given, NumberStyles.None, CultureInfo.InvariantCulture, out var seconds) ? seconds : int.MaxValue);
            }
        }

        /// <summary>At least a second, so that there is a pause; at most five minutes, so that one answer cannot stop a till for a day.</summary>
        internal TimeSpan? Pause => RetryAfter is TimeSpan given ? TimeSpan.FromSeconds(Math.Max(1, Math.Min(300, given.TotalSeconds))) : (TimeSpan?)null;

        internal ProblemException Problem => ProblemException.For(Status, Text, RetryAfter);

        internal T As<T>()
        {
            if (Status < 200 || Status > 299) throw Member("Code") is string ? (TillsealException)Problem : new NoAnswerException($"{Status} from something that is not Tillseal");
            try { return Text == "" ? default(T) : Json.Read<T>(Text); }
            catch (FormatException error) { throw new NoAnswerException($"the answer is not Tillseal's: {error.Message}", error); }
        }

        internal SignedReceipt AsSigned(string reference)
        {
            As<Dictionary<string, object>>();
            if (!IsTillsealsOn(reference)) throw new NoAnswerException("the answer is not Tillseal's: it is no seal of this receipt");
            var signed = SignedReceipt.Of(Text);
            signed.IsReplay = IsReplay;
            return signed;
        }

        /// <summary>The sign-in page of a hotel's network, which answers 200 to everything, must not make a sale disappear.</summary>
        internal bool IsTillsealsOn(string reference) =>
            Status == 200 ? reference.Equals(Member("Reference")) && Member("DeviceSignature") is string : Member("Code") is string;

        internal Verdict VerdictOn(string reference)
        {
            if (!IsTillsealsOn(reference)) return Verdict.Again;
            if (Status == 200) return Verdict.Signed;
            switch (Member("Then") as string)
            {
                case "Again": return Verdict.Again;
                case "SetAside": return Verdict.SetAside;
                case "Stop": return Verdict.Stop;
            }
            // A service before 0.3.0 does not say it.
            switch (Status)
            {
                case 400:
                case 409:
                case 413:
                case 415: return Equals(Member("Code"), "DeviceBlocked") || HasOnly("DeviceBlocked", "RCPT031") ? Verdict.Again : Verdict.SetAside;
                case 401:
                case 403: return Verdict.Stop;
                default: return Verdict.Again;
            }
        }

        /// <summary>The till's clock is behind or ahead, and nothing else is wrong.</summary>
        internal bool IsOnlyMisdated => Status == 400 && HasOnly("RCPT030", "RCPT031");

        private bool HasOnly(params string[] codes)
        {
            var errors = Problem.Errors;
            return errors.Count > 0 && errors.All(error => codes.Contains(error.Code));
        }

        private object Member(string name) => members != null && members.TryGetValue(name, out var value) ? value : null;

        private string Header(string name) => headers.TryGetValue(name, out var value) ? value : null;
    }
}
