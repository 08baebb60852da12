<?php

namespace Tillseal\Outbox;

/** What waits, and why. */
final class Status
{
    public function __construct(
        public readonly int $queued,
        /** When the first of those queued was sold. */
        public readonly ?\DateTimeImmutable $oldest,
        public readonly ?Failure $lastFailure,
        /** @var list<SetAside> */
        public readonly array $setAside,
        public readonly ?Halted $halted,
    ) {}
}
