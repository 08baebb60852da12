<?php

namespace Tillseal\Outbox;

use Tillseal\Error\ProblemException;

/** Something that a person should know. */
final class Report
{
    public function __construct(
        /** SetAside, Halted, Stuck, Stranger, ClockAhead, SignedAfterAll or Failed. */
        public readonly string $kind,
        public readonly string $message,
        public readonly ?string $reference = null,
        public readonly ?ProblemException $problem = null,
    ) {}
}
