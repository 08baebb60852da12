<?php

declare(strict_types=1);

namespace Tillseal\Error;

/** 400, 413, 415: the request is refused for what it is. */
final class InvalidRequest extends Problem
{
}
