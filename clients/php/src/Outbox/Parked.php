<?php

declare(strict_types=1);

namespace Tillseal\Outbox;

use Tillseal\Error\Problem;

/** A sale that was refused for what it is, and waits for a person. */
final class Parked
{
    public function __construct(
        public readonly string $reference,
        public readonly Problem $problem,
    ) {
    }
}
