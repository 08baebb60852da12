<?php

namespace Tillseal\Error;

/** There was no answer, or not one from Tillseal: send the same again. Whether it arrived is unknown, and does not matter. */
final class NoAnswerException extends TillsealException {}
