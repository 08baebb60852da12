<?php

namespace Tillseal\Outbox;

/** Why a sale is not sealed yet: the last attempt, and since when none has succeeded. */
final class Failure
{
    public function __construct(
        public readonly \DateTimeImmutable $at,
        public readonly \DateTimeImmutable $since,
        public readonly string $message,
    ) {}
}
