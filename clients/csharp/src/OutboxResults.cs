using System;
using System.Collections.Generic;

namespace Tillseal
{
    /// <summary>What became of a sale so far: <see cref="Signed"/>, <see cref="Queued"/> or <see cref="SetAside"/>.</summary>
    public abstract class SellResult
    {
        internal SellResult(string reference) => Reference = reference;

        public string Reference { get; }
    }

    /// <summary>It is sealed: print the seal.</summary>
    public sealed class Signed : SellResult
    {
        private readonly string answer;
        private SignedReceipt receipt;

        internal Signed(string reference, string answer) : base(reference) => this.answer = answer;

        /// <summary>Its GlobalCounter; null if the answer had none.</summary>
        public long? Number { get; internal set; }
        /// <summary>Tillseal's answer. Null only for a sale that was sealed long ago, when Tillseal cannot be asked for its seal again.</summary>
        public SignedReceipt Receipt => receipt ?? (receipt = answer == null ? null : SignedReceipt.Of(answer));
        /// <summary>By how much the till's clock was ahead; null if it was not.</summary>
        public TimeSpan? ClockAhead { get; internal set; }
    }

    /// <summary>It is on the disk and will be sealed when Tillseal can be reached: hand over the goods.</summary>
    public sealed class Queued : SellResult
    {
        internal Queued(string reference, LastFailure lastFailure) : base(reference) => LastFailure = lastFailure;

        /// <summary>The last failure of its device; null if there is none.</summary>
        public LastFailure LastFailure { get; }
    }

    /// <summary>Tillseal refused it because of its content; it waits until you call RetryAsync or DiscardAsync.</summary>
    public sealed class SetAside : SellResult
    {
        internal SetAside(string reference, ProblemException problem) : base(reference) => Problem = problem;

        public ProblemException Problem { get; }
    }

    /// <summary>Why the last attempt failed, and since when attempts have failed.</summary>
    public sealed class LastFailure
    {
        public DateTimeOffset At { get; internal set; }
        public DateTimeOffset Since { get; internal set; }
        public string Message { get; internal set; }
    }

    /// <summary>Nothing is sent, because nothing of this token or address passes. It is tried again every five minutes.</summary>
    public sealed class Halted
    {
        public DateTimeOffset Since { get; internal set; }
        public ProblemException Problem { get; internal set; }
    }

    public sealed class OutboxStatus
    {
        /// <summary>How many sales wait to be sealed.</summary>
        public int Queued { get; internal set; }
        /// <summary>When the oldest of them was sold; null if there is none.</summary>
        public DateTimeOffset? Oldest { get; internal set; }
        public LastFailure LastFailure { get; internal set; }
        /// <summary>In the order of the sales: correct what is wrong, then RetryAsync or DiscardAsync.</summary>
        public IReadOnlyList<SetAside> SetAside { get; internal set; }
        /// <summary>Null if it is not.</summary>
        public Halted Halted { get; internal set; }
    }

    public enum SaleState { Queued, Signed, SetAside, Discarded }

    /// <summary>What became of a sale.</summary>
    public sealed class FoundSale
    {
        public string Reference { get; internal set; }
        public SaleState State { get; internal set; }
        public DateTimeOffset SoldAt { get; internal set; }
        /// <summary>How often it was sent.</summary>
        public int Attempts { get; internal set; }
        /// <summary>The GlobalCounter of a signed one.</summary>
        public long? Number { get; internal set; }
        /// <summary>Of a signed one, for a minute.</summary>
        public SignedReceipt Receipt { get; internal set; }
        /// <summary>Tillseal's last answer, if that was a problem.</summary>
        public ProblemException Problem { get; internal set; }
        public LastFailure LastFailure { get; internal set; }
    }

    /// <summary>What a drain did.</summary>
    public sealed class Drained
    {
        public int Signed { get; internal set; }
        public int SetAside { get; internal set; }
        public OutboxStatus Status { get; internal set; }
    }

    public enum ReportKind { SetAside, Halted, Stuck, Stranger, ClockAhead, SignedAfterAll, Failed }

    /// <summary>What a person should know; docs/outbox.md says when each kind is reported.</summary>
    public sealed class Report
    {
        internal Report(ReportKind kind, string message, string reference = null, ProblemException problem = null)
        {
            Kind = kind;
            Message = message;
            Reference = reference;
            Problem = problem;
        }

        public ReportKind Kind { get; }
        /// <summary>For people.</summary>
        public string Message { get; }
        public string Reference { get; }
        public ProblemException Problem { get; }
    }
}
