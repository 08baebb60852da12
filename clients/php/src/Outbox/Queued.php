<?php

namespace Tillseal\Outbox;

/** Written, and sealed as soon as Tillseal can be reached. */
final class Queued
{
    public function __construct(
        public readonly string $reference,
        public readonly ?Failure $lastFailure,
    ) {}
}
