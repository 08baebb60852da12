<?php

namespace Tillseal\Outbox;

use Tillseal\Error\ProblemException;

/** What became of a sale. */
final class Sale
{
    public function __construct(
        public readonly string $reference,
        /** Queued, Signed, SetAside or Discarded. */
        public readonly string $state,
        public readonly \DateTimeImmutable $soldAt,
        public readonly int $attempts,
        public readonly ?int $number,
        /** @var ?array<string, mixed> Tillseal's answer, for a minute after it was signed */
        public readonly ?array $receipt,
        public readonly ?ProblemException $problem,
        public readonly ?Failure $lastFailure,
    ) {}
}
