<?php

namespace Tillseal\Error;

/** One wrong field of a request. */
final class FieldError
{
    public function __construct(
        public readonly string $field,
        public readonly string $code,
        public readonly string $message,
    ) {}
}
