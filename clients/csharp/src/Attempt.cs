using System;

namespace Tillseal
{
    /// <summary>One sending of a sale: counted and leased on the disk before it is sent.</summary>
    internal sealed class Attempt
    {
        internal static readonly TimeSpan Lease = TimeSpan.FromSeconds(5);

        /// <param name="sale">As it is on the disk, this attempt included.</param>
        internal Attempt(Transaction transaction, Row sale, bool isLate, Clock clock)
        {
            Place = sale.Number("place");
            Reference = sale.Text("reference");
            Device = sale.Number("device");
            Body = sale.Text("body");
            Number = sale.Number("attempts");
            IsLate = isLate;
            var waiting = transaction.Value("select count(*) from sales where device = @1 and state = 'Queued'", Device);
            Backlog = $"waiting={waiting}, seconds={Math.Max(0, clock.Seconds - Sale.FirstQueued(transaction, Device).Number("sold_at"))}";
        }

        internal long Place { get; }
        internal string Reference { get; }
        internal long Device { get; }
        internal string Body { get; }
        internal long Number { get; }
        internal bool IsLate { get; }
        internal string Backlog { get; }

        /// <summary>Null when there was none.</summary>
        internal Answer Answer { get; set; }
        /// <summary>Why there was no answer.</summary>
        internal string NoAnswer { get; set; }
        /// <summary>For how long attempts have failed.</summary>
        internal TimeSpan FailingFor { get; set; }

        internal bool IsTillseals => Answer != null && Answer.IsTillsealsOn(Reference);
        /// <summary>As a late receipt it gets another date, so it is immediately sent as one.</summary>
        internal bool IsMisdated => !IsLate && IsTillseals && Answer.IsOnlyMisdated;
        internal Verdict Verdict => Answer == null || IsMisdated ? Verdict.Again : Answer.VerdictOn(Reference);
        internal ProblemException Problem => Answer.Problem;
        internal TimeSpan? ClockAhead => Answer.DateAdvanced < TimeSpan.Zero ? -Answer.DateAdvanced : (TimeSpan?)null;
        internal Signed Signed => new Signed(Reference, Answer.Text) { Number = Answer.Number, ClockAhead = ClockAhead };

        internal string Failure
        {
            get
            {
                var words = NoAnswer ?? (IsTillseals ? Problem.Message : $"{Answer.Status} from something that is not Tillseal");
                return words.Length > 500 ? words.Substring(0, 500) : words;
            }
        }
    }
}
