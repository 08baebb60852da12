using System;
using System.Collections.Generic;

namespace Tillseal
{
    /// <summary>What became of a sale so far: <see cref="Signed"/>, <see cref="Queued"/> or <see cref="Refused"/>.</summary>
    public abstract class SellResult
    {
        internal SellResult(string reference) => Reference = reference;

        public string Reference { get; }
    }

    /// <summary>It is sealed: print the seal.</summary>
    public sealed class Signed : SellResult
    {
        private SignedReceipt receipt;

        internal Signed(string reference, string answer) : base(reference) => Answer = answer;

        /// <summary>Tillseal's answer, to the letter.</summary>
        public string Answer { get; }
        public SignedReceipt Receipt => receipt ?? (receipt = Json.Read<SignedReceipt>(Answer));
    }

    /// <summary>It is on the disk and will be sealed when Tillseal can be reached: hand out the goods.</summary>
    public sealed class Queued : SellResult
    {
        internal Queued(string reference) : base(reference) { }
    }

    /// <summary>Tillseal refused it for what it is; it is parked until you call RetryAsync or DiscardAsync.</summary>
    public sealed class Refused : SellResult
    {
        internal Refused(string reference, int status, string answer) : base(reference) => Problem = Problem.Read(status, answer);

        public Problem Problem { get; }
    }

    /// <summary>A sale that waits for a person.</summary>
    public sealed class ParkedSale
    {
        internal ParkedSale(string reference, int status, string answer)
        {
            Reference = reference;
            Status = status;
            Answer = answer;
        }

        public string Reference { get; }
        public int Status { get; }
        /// <summary>What Tillseal answered, to the letter.</summary>
        public string Answer { get; }
        [NotInJson]
        public Problem Problem => Problem.Read(Status, Answer);
    }

    /// <summary>Why nothing is sent: the token was refused.</summary>
    public sealed class Halt
    {
        internal Halt(int status, string answer)
        {
            Status = status;
            Answer = answer;
        }

        public int Status { get; }
        public string Answer { get; }
        /// <summary>Where its record begins in the journal.</summary>
        internal long Start { get; set; }
    }

    public sealed class OutboxStatus
    {
        /// <summary>How many sales wait to be sealed.</summary>
        public int Open { get; internal set; }
        /// <summary>When the first of them was sold.</summary>
        [WrittenWhenNull]
        public DateTimeOffset? Oldest { get; internal set; }
        /// <summary>Refused ones, in the order of the sales: correct what is wrong, then RetryAsync or DiscardAsync each.</summary>
        public IReadOnlyList<ParkedSale> Parked { get; internal set; }
        /// <summary>Not null: nothing is sent until you give the right token and call ResumeAsync.</summary>
        [WrittenWhenNull]
        public Halt Halted { get; internal set; }
    }
}
