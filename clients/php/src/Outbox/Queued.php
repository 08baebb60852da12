<?php

declare(strict_types=1);

namespace Tillseal\Outbox;

/** It is in the journal, and will be sealed when Tillseal can be reached. */
final class Queued
{
    public function __construct(
        public readonly string $reference,
    ) {
    }
}
