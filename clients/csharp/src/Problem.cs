using System;
using System.Collections.Generic;
using System.Linq;

namespace Tillseal
{
    /// <summary>A refusal as Tillseal describes it (RFC 9457).</summary>
    public sealed class Problem
    {
        public int Status { get; internal set; }
        public string Code { get; internal set; }
        public string Title { get; internal set; }
        public string Detail { get; internal set; }
        /// <summary>Quote it when you ask for help.</summary>
        public string RequestId { get; internal set; }
        /// <summary>The address of an explanation.</summary>
        public string Type { get; internal set; }
        public IReadOnlyList<FieldError> Errors { get; internal set; } = new FieldError[0];
        public TimeSpan? RetryAfter { get; internal set; }

        /// <summary>Reads an answer's text. One that is no problem document, as from a proxy, gives a problem with its status alone.</summary>
        internal static Problem Read(int status, string text)
        {
            var problem = new Problem { Status = status };
            if (!(TryRead(text) is Dictionary<string, object> members)) return problem;
            Func<string, string> member = name => members.TryGetValue(name, out var value) ? value as string : null;
            problem.Code = member("Code");
            problem.Title = member("title");
            problem.Detail = member("detail");
            problem.RequestId = member("requestId");
            problem.Type = member("type");
            if (members.TryGetValue("errors", out var errors) && errors is List<object> list)
            {
                problem.Errors = list.OfType<Dictionary<string, object>>().Select(error => (FieldError)JsonBinder.Bind(error, typeof(FieldError), "errors")).ToList();
            }
            return problem;
        }

        private static object TryRead(string text)
        {
            try { return Json.Read(text); }
            catch (FormatException) { return null; }
        }

        public override string ToString()
        {
            var errors = string.Concat(Errors.Select(error => $"\n  {error}"));
            return $"{Status} {Code} {Detail ?? Title}".TrimEnd() + errors;
        }
    }

    /// <summary>One wrong field: where, which rule, and what was expected.</summary>
    public sealed class FieldError
    {
        public string Field { get; set; }
        public string Code { get; set; }
        public string Message { get; set; }

        public override string ToString() => $"{Field} {Code} {Message}";
    }
}
