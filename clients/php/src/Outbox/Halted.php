<?php

namespace Tillseal\Outbox;

use Tillseal\Error\ProblemException;

/** Nothing of this token or address passes; it is tried again every five minutes. */
final class Halted
{
    public function __construct(
        public readonly \DateTimeImmutable $since,
        public readonly ProblemException $problem,
    ) {}
}
