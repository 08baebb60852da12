using System;
using System.Collections.Generic;

namespace Tillseal
{
    /// <summary>Everything that this package throws, except for wrong arguments.</summary>
    public abstract class TillsealException : Exception
    {
        protected TillsealException(string message, Exception inner = null) : base(message, inner) { }
    }

    /// <summary>No answer came, or one that is not Tillseal's. Whether the request arrived is unknown: send the same one again.</summary>
    public sealed class NoAnswerException : TillsealException
    {
        public NoAnswerException(string message, Exception inner = null) : base(message, inner) { }
    }

    /// <summary>Tillseal answered with a problem. Its kinds are the classes below; this one stands for all others.</summary>
    public class ProblemException : TillsealException
    {
        public ProblemException(Problem problem) : base(problem.ToString()) => Problem = problem;

        public Problem Problem { get; }
        public int Status => Problem.Status;
        /// <summary>Stable, for programs; <c>/docs/errors</c> explains each.</summary>
        public string Code => Problem.Code;
        public IReadOnlyList<FieldError> Errors => Problem.Errors;

        internal static ProblemException For(Problem problem)
        {
            switch (problem.Status)
            {
                case 400: return new InvalidRequestException(problem);
                case 401:
                case 403: return new AccessDeniedException(problem);
                case 404: return new NotFoundException(problem);
                case 409: return new ConflictException(problem);
                default: return problem.Status == 429 || problem.Status >= 500 ? new TryAgainException(problem) : new ProblemException(problem);
            }
        }
    }

    /// <summary>400: <see cref="ProblemException.Errors"/> names every wrong field and what was expected.</summary>
    public sealed class InvalidRequestException : ProblemException
    {
        public InvalidRequestException(Problem problem) : base(problem) { }
    }

    /// <summary>401 or 403: the token is wrong, revoked, or may not do this.</summary>
    public sealed class AccessDeniedException : ProblemException
    {
        public AccessDeniedException(Problem problem) : base(problem) { }
    }

    /// <summary>404.</summary>
    public sealed class NotFoundException : ProblemException
    {
        public NotFoundException(Problem problem) : base(problem) { }
    }

    /// <summary>409: the reference is sealed with other data.</summary>
    public sealed class ConflictException : ProblemException
    {
        public ConflictException(Problem problem) : base(problem) { }
    }

    /// <summary>429 or 5xx: nothing was consumed; send the same request again after <see cref="RetryAfter"/>.</summary>
    public sealed class TryAgainException : ProblemException
    {
        public TryAgainException(Problem problem) : base(problem) { }

        public TimeSpan? RetryAfter => Problem.RetryAfter;
    }

    /// <summary>The journal of an outbox cannot be written or read. If selling threw it, nothing was sent.</summary>
    public class JournalException : TillsealException
    {
        public JournalException(string message, Exception inner = null) : base(message, inner) { }
    }

    /// <summary>A line in the middle of the journal is wrong: the disk is damaged. The file is left as it is.</summary>
    public sealed class DamagedJournalException : JournalException
    {
        public DamagedJournalException(string file, int line)
            : base($"{file}: line {line} is damaged. Nothing was changed: look at the file, save what is readable, and move it away") => Line = line;

        public int Line { get; }
    }

    /// <summary>The journal already has another sale under this reference.</summary>
    public sealed class ReferenceUsedException : JournalException
    {
        public ReferenceUsedException(string reference)
            : base($"Reference \"{reference}\" is already in the journal with other content: a new sale needs a new Reference") { }
    }

    /// <summary>A webhook that is not genuine: do not act on it.</summary>
    public sealed class WebhookException : TillsealException
    {
        public WebhookException(string message) : base(message) { }
    }
}
