using System;
using System.Collections.Generic;
using System.Linq;

namespace Tillseal
{
    /// <summary>Everything that this package throws, except for wrong arguments.</summary>
    public abstract class TillsealException : Exception
    {
        internal TillsealException(string message, Exception inner = null) : base(message, inner) { }
    }

    /// <summary>There was no answer, or not one from Tillseal. Whether the request arrived is unknown, and does not matter: send the same one again.</summary>
    public sealed class NoAnswerException : TillsealException
    {
        internal NoAnswerException(string message, Exception inner = null) : base(message, inner) { }
    }

    /// <summary>Tillseal answered with a problem (RFC 9457). Its kinds are the classes below; this one stands for all others.</summary>
    public class ProblemException : TillsealException
    {
        internal ProblemException(int status, string text, TimeSpan? retryAfter) : base(null)
        {
            Status = status;
            Text = text;
            RetryAfter = retryAfter;
            var members = Json.TryReadObject(text) ?? new Dictionary<string, object>();
            Func<string, string> member = name => members.TryGetValue(name, out var value) ? value as string : null;
            Code = member("Code");
            Title = member("title");
            Detail = member("detail");
            Then = member("Then");
            RequestId = member("requestId");
            members.TryGetValue("errors", out var errors);
            Errors = (errors as List<object> ?? new List<object>()).OfType<Dictionary<string, object>>().Select(error => new FieldError(error)).ToList();
        }

        public int Status { get; }
        /// <summary>Stable, for programs; <c>/docs/errors</c> explains each.</summary>
        public string Code { get; }
        public string Title { get; }
        public string Detail { get; }
        /// <summary>What to do with a receipt: Again, SetAside or Stop; null from a service before 0.3.0.</summary>
        public string Then { get; }
        public IReadOnlyList<FieldError> Errors { get; }
        /// <summary>Quote it when you ask for help.</summary>
        public string RequestId { get; }
        public TimeSpan? RetryAfter { get; }
        /// <summary>The unchanged text of the answer.</summary>
        public string Text { get; }

        public override string Message => $"{Status} {Code} {Detail ?? Title}".TrimEnd() + string.Concat(Errors.Select(error => $"\n  {error}"));

        internal static ProblemException For(int status, string text, TimeSpan? retryAfter = null)
        {
            switch (status)
            {
                case 400:
                case 413:
                case 415: return new InvalidRequestException(status, text, retryAfter);
                case 401:
                case 403: return new AccessDeniedException(status, text, retryAfter);
                case 404: return new NotFoundException(status, text, retryAfter);
                case 409: return new ConflictException(status, text, retryAfter);
                default: return status == 429 || status >= 500 ? new UnavailableException(status, text, retryAfter) : new ProblemException(status, text, retryAfter);
            }
        }
    }

    /// <summary>One wrong field: where, which rule, and what was expected.</summary>
    public sealed class FieldError
    {
        internal FieldError(Dictionary<string, object> members)
        {
            Func<string, string> member = name => members.TryGetValue(name, out var value) ? value as string : null;
            Field = member("Field");
            Code = member("Code");
            Message = member("Message");
        }

        public string Field { get; }
        public string Code { get; }
        public string Message { get; }

        public override string ToString() => $"{Field} {Code} {Message}";
    }

    /// <summary>400, 413, 415: correct the request; <see cref="ProblemException.Errors"/> names every wrong field and what was expected.</summary>
    public sealed class InvalidRequestException : ProblemException
    {
        internal InvalidRequestException(int status, string text, TimeSpan? retryAfter) : base(status, text, retryAfter) { }
    }

    /// <summary>401, 403: the token is wrong, revoked, or may not do this.</summary>
    public sealed class AccessDeniedException : ProblemException
    {
        internal AccessDeniedException(int status, string text, TimeSpan? retryAfter) : base(status, text, retryAfter) { }
    }

    /// <summary>404: it does not exist, or is not yours.</summary>
    public sealed class NotFoundException : ProblemException
    {
        internal NotFoundException(int status, string text, TimeSpan? retryAfter) : base(status, text, retryAfter) { }
    }

    /// <summary>409: the reference is already used for other data.</summary>
    public sealed class ConflictException : ProblemException
    {
        internal ConflictException(int status, string text, TimeSpan? retryAfter) : base(status, text, retryAfter) { }
    }

    /// <summary>429, 5xx: send the same again after <see cref="ProblemException.RetryAfter"/>.</summary>
    public sealed class UnavailableException : ProblemException
    {
        internal UnavailableException(int status, string text, TimeSpan? retryAfter) : base(status, text, retryAfter) { }
    }

    /// <summary>The outbox's file cannot be read or written, or does not allow what was asked. If selling threw it, nothing was sent.</summary>
    public sealed class OutboxException : TillsealException
    {
        internal OutboxException(string message, Exception inner = null) : base(message, inner) { }

        /// <summary>The last flush failed, so it may or may not have been done.</summary>
        internal bool IsAtCommit { get; set; }
        /// <summary>The file is no longer the one that was opened, or is damaged; or the sale is no longer in it.</summary>
        internal bool IsGone { get; set; }
    }

    /// <summary>A webhook is not genuine, or too old: answer 400.</summary>
    public sealed class WebhookException : TillsealException
    {
        internal WebhookException(string message) : base(message) { }
    }
}
