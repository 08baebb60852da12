using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net.Http;

namespace Tillseal
{
    internal enum Verdict { Signed, Park, Halt, TryAgain }

    /// <summary>What Tillseal answered, as it came.</summary>
    internal sealed class Answer
    {
        private readonly HttpResponseMessage response;

        internal Answer(HttpResponseMessage response, string text)
        {
            this.response = response;
            Text = text;
            Status = (int)response.StatusCode;
        }

        internal int Status { get; }
        internal string Text { get; }
        internal TimeSpan? RetryAfter
        {
            get
            {
                var given = response.Headers.RetryAfter;
                var wait = given?.Delta ?? (given?.Date - DateTimeOffset.UtcNow);
                return wait < TimeSpan.Zero ? TimeSpan.Zero : wait;
            }
        }

        internal Problem Problem
        {
            get
            {
                var problem = Problem.Read(Status, Text);
                problem.RetryAfter = RetryAfter;
                return problem;
            }
        }

        internal T As<T>()
        {
            if (Status < 200 || Status > 299) throw ProblemException.For(Problem);
            try { return Text == "" ? default(T) : Json.Read<T>(Text); }
            catch (FormatException error) { throw new NoAnswerException($"the answer is not Tillseal's: {error.Message}", error); }
        }

        internal SignedReceipt AsSigned()
        {
            var signed = As<SignedReceipt>();
            if (signed?.DeviceHash == null) throw new NoAnswerException("the answer is not Tillseal's: it has no seal");
            signed.IsReplay = Header("Idempotent-Replay") == "true";
            signed.DateAdvanced = TimeSpan.FromSeconds(int.Parse(Header("Date-Advanced") ?? "0", CultureInfo.InvariantCulture));
            return signed;
        }

        /// <summary>
        /// What an outbox does with it. Only what Tillseal itself answered counts: the sign-in page of a hotel's network, which answers
        /// 200 to everything, must not make a sale disappear.
        /// </summary>
        internal Verdict VerdictOn(string reference)
        {
            if (Status == 413 || Status == 415) return Verdict.Park;
            if (!(TryRead() is Dictionary<string, object> members)) return Verdict.TryAgain;
            Func<string, bool> has = name => members.TryGetValue(name, out var value) && value is string;
            switch (Status)
            {
                case 200: return has("Reference") && reference.Equals(members["Reference"]) && has("DeviceSignature") ? Verdict.Signed : Verdict.TryAgain;
                // The date is ahead of Tillseal's clock, which catches up.
                case 400: return !has("Code") || Problem.Errors.Any(error => error.Code == "RCPT031") ? Verdict.TryAgain : Verdict.Park;
                case 409: return has("Code") ? Verdict.Park : Verdict.TryAgain;
                case 401:
                case 403: return has("Code") ? Verdict.Halt : Verdict.TryAgain;
                default: return Verdict.TryAgain;
            }
        }

        private object TryRead()
        {
            try { return Json.Read(Text); }
            catch (FormatException) { return null; }
        }

        private string Header(string name) => response.Headers.TryGetValues(name, out var values) ? values.First() : null;
    }
}
